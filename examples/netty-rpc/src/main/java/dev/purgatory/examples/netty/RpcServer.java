package dev.purgatory.examples.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A server that answers most requests, with the request in capitals, and fails in each way that a
 * client has to survive. The first word of a request says how.
 */
final class RpcServer implements AutoCloseable {
  private final Channel channel;

  /** Starts the server on the loopback address, on a free port. */
  RpcServer(EventLoopGroup loops) {
    channel =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel client) {
                    Message.addCodecs(client.pipeline());
                    client.pipeline().addLast(new Requests());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  SocketAddress address() {
    return channel.localAddress();
  }

  /** Answers the requests of one connection. Only its event loop uses it. */
  @SuppressWarnings("FutureReturnValueIgnored") // a reply that cannot be sent is lost
  private static final class Requests extends SimpleChannelInboundHandler<Message> {
    private final List<Message> delayed = new ArrayList<>();

    @Override
    protected void channelRead0(ChannelHandlerContext context, Message request) {
      Message reply = request.reply(request.text().toUpperCase(Locale.ROOT));
      switch (request.text().split(" ", 2)[0]) {
        case "lose" -> {} // the reply is lost
        case "delay" -> delayed.add(reply);
        case "release" -> {
          delayed.forEach(context::write);
          delayed.clear();
          context.writeAndFlush(reply);
        }
        case "repeat" -> {
          context.write(reply);
          context.writeAndFlush(reply);
        }
        case "refuse" -> context.writeAndFlush(request.error("refused"));
        case "hang-up" -> context.close();
        default -> context.writeAndFlush(reply);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** Stops listening. */
  @Override
  public void close() {
    channel.close().syncUninterruptibly();
  }
}

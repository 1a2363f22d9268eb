package dev.purgatory.examples.netty;

import dev.purgatory.HeldFuture;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls a server over one connection. Any number of calls wait at once, and replies may come in any
 * order. Thread-safe.
 *
 * <p>A call ends once: with its reply; with an {@link RpcException} that the server replied; with a
 * {@link java.util.concurrent.TimeoutException}; or with an {@link IOException} when the connection
 * is lost. Most calls complete on the event loop of the connection, which must not be blocked: use
 * the {@code Async} methods of the future for slow work.
 */
final class RpcClient implements AutoCloseable {

  /*
   * A call expects its reply before it sends the request, because the reply may be fast. When the
   * connection is lost, failAll fails the calls that wait. A call that is made later fails with its write:
   * Netty fails every write to a closed channel, including those that were queued when it closed.
   *
   * Ids are used once, so a late or a duplicate reply finds no call.
   */

  private final Channel channel;
  private final Replies<Long, String> replies;
  private final AtomicLong lastId = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /**
   * Creates the client of a connection and adds its handlers.
   *
   * @param channel the connection
   * @param replies holds the calls; closed with the client
   */
  RpcClient(Channel channel, Replies<Long, String> replies) {
    this.channel = channel;
    this.replies = replies;
    Message.addCodecs(channel.pipeline());
    channel.pipeline().addLast(new ReplyHandler());
  }

  /**
   * Connects to a server.
   *
   * @param loops read and write
   * @param timer times the calls out; many connections can share it
   * @throws IOException if the server cannot be reached
   */
  static RpcClient connect(EventLoopGroup loops, SocketAddress server, Timer timer)
      throws IOException, InterruptedException {
    Replies<Long, String> calls =
        Replies.builder("rpc", Long.class, String.class).timer(timer).build();
    CompletableFuture<RpcClient> client = new CompletableFuture<>();
    Bootstrap bootstrap = new Bootstrap().group(loops).channel(NioSocketChannel.class);
    bootstrap.handler(
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            client.complete(new RpcClient(channel, calls));
          }
        });
    ChannelFuture connected = bootstrap.connect(server).await();
    if (!connected.isSuccess()) {
      calls.close();
      throw new IOException("cannot connect to " + server, connected.cause());
    }
    return client.join();
  }

  /**
   * Calls the server.
   *
   * @param timeout how long to wait for the reply
   * @return the reply; cancel it to give up
   */
  // sample: netty-call
  HeldFuture<String> call(String request, Duration timeout) {
    long id = lastId.incrementAndGet();
    HeldFuture<String> reply = replies.expect(id, timeout);
    channel
        .writeAndFlush(new Message(id, Message.Kind.REQUEST, request))
        .addListener(
            sent -> {
              if (!sent.isSuccess()) {
                String error = channel.isOpen() ? "not sent" : "connection lost";
                replies.fail(id, new IOException(error, sent.cause()));
              }
            });
    return reply;
  }

  private final class ReplyHandler extends SimpleChannelInboundHandler<Message> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, Message message) {
      boolean awaited =
          message.kind() == Message.Kind.REPLY
              ? replies.complete(message.id(), message.text())
              : replies.fail(message.id(), new RpcException(message.text()));
      if (!awaited) {
        dropped.incrementAndGet(); // late, or a duplicate
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      replies.failAll(new IOException("connection lost"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      replies.failAll(new IOException("connection failed", cause));
      var unused = context.close(); // what follows a corrupted frame cannot be understood
    }
  }

  // end

  /** Returns the number of calls that wait. */
  long pending() {
    return replies.pending();
  }

  /** Returns the number of replies that no call was waiting for. */
  long dropped() {
    return dropped.get();
  }

  /** Closes the connection, and fails the calls that wait. */
  @Override
  public void close() {
    var unused = channel.close(); // does not wait, so that the event loop may call it
    replies.close();
  }
}

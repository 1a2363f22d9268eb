package dev.purgatory.examples.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RpcClientTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final AtomicLong nanos = new AtomicLong();
  private final Timer timer = Timer.builder().ticker(nanos::get).build();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final EmbeddedChannel server = server();
  private final RpcClient client =
      new RpcClient(
          channel,
          Replies.builder("test", Long.class, String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run) // on this thread
              .build());

  private static EmbeddedChannel server() {
    EmbeddedChannel server = new EmbeddedChannel();
    Message.addCodecs(server.pipeline());
    return server;
  }

  @Test
  void replies_inAnyOrder_completeTheirCalls() {
    List<HeldFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(client.call("request " + i, LIMIT));
    }
    List<Message> requests = requests();
    assertThat(client.pending()).isEqualTo(100);
    Collections.reverse(requests);
    requests.forEach(request -> receive(request.reply("reply to " + request.text())));
    for (int i = 0; i < 100; i++) {
      assertThat(calls.get(i)).isCompletedWithValue("reply to request " + i);
    }
    assertThat(client.pending()).isZero();
    assertThat(client.dropped()).isZero();
  }

  @Test
  void reply_inPieces_completesTheCall() {
    HeldFuture<String> call = client.call("request", LIMIT);
    ByteBuf bytes = bytes(request().reply("höchstens"));
    while (bytes.readableBytes() > 1) {
      channel.writeInbound(bytes.readRetainedSlice(1));
      assertThat(call).isNotDone();
    }
    channel.writeInbound(bytes);
    assertThat(call).isCompletedWithValue("höchstens");
  }

  @Test
  void errorReply_failsTheCall() {
    HeldFuture<String> call = client.call("request", LIMIT);
    receive(request().error("refused"));
    assertThat(call.cause()).isInstanceOf(RpcException.class).hasMessage("refused");
  }

  @Test
  void lostReply_timesOut_neverEarly() {
    HeldFuture<String> call = client.call("request", LIMIT);
    advance(LIMIT.toNanos() - 1);
    assertThat(call).isNotDone();
    advance(1);
    assertThat(call.cause()).isInstanceOf(TimeoutException.class);
    assertThat(client.pending()).isZero();
  }

  @Test
  void lateReply_isDropped() {
    HeldFuture<String> call = client.call("request", LIMIT);
    advance(LIMIT.toNanos());
    receive(request().reply("late"));
    assertThat(call.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(client.dropped()).isEqualTo(1);
  }

  @Test
  void duplicateReply_isDropped() {
    HeldFuture<String> call = client.call("request", LIMIT);
    Message request = request();
    receive(request.reply("first"));
    receive(request.reply("second"));
    receive(request.error("third"));
    assertThat(call).isCompletedWithValue("first");
    assertThat(client.dropped()).isEqualTo(2);
  }

  @Test
  void replyToACancelledCall_isDropped() {
    HeldFuture<String> call = client.call("request", LIMIT);
    assertThat(call.cancel(false)).isTrue();
    assertThat(client.pending()).isZero();
    receive(request().reply("late"));
    assertThat(client.dropped()).isEqualTo(1);
  }

  @Test
  void lostConnection_failsAllCalls_andLaterOnes() {
    HeldFuture<String> first = client.call("first", LIMIT);
    HeldFuture<String> second = client.call("second", LIMIT);
    channel.close().syncUninterruptibly();
    HeldFuture<String> later = client.call("later", LIMIT);
    assertThat(first.cause()).isInstanceOf(IOException.class).hasMessage("connection lost");
    assertThat(second.cause()).isInstanceOf(IOException.class).hasMessage("connection lost");
    assertThat(later.cause()).isInstanceOf(IOException.class).hasMessage("connection lost");
    assertThat(client.pending()).isZero();
  }

  @Test
  void corruptedFrame_failsAllCalls_andClosesTheConnection() {
    HeldFuture<String> call = client.call("request", LIMIT);
    channel.writeInbound(Unpooled.copyInt(1).writeByte(7));
    assertThat(call.cause())
        .hasMessage("connection failed")
        .hasRootCauseInstanceOf(CorruptedFrameException.class);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void tooLongRequest_failsAlone() {
    HeldFuture<String> other = client.call("request", LIMIT);
    HeldFuture<String> call = client.call("x".repeat(Message.MAX_FRAME_BYTES), LIMIT);
    assertThat(call.cause()).hasMessage("not sent");
    assertThat(call.cause()).hasRootCauseInstanceOf(TooLongFrameException.class);
    receive(request().reply("reply"));
    assertThat(other).isCompletedWithValue("reply");
  }

  @Test
  void close_failsTheCallsThatWait() {
    HeldFuture<String> call = client.call("request", LIMIT);
    client.close();
    assertThat(call.cause()).isNotNull();
    assertThat(channel.isOpen()).isFalse();
    assertThat(client.call("later", LIMIT)).isCompletedExceptionally();
    assertThat(timer.size()).isZero();
  }

  @Test
  void connect_withoutAServer_fails() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    InetSocketAddress nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = (InetSocketAddress) socket.getLocalSocketAddress();
    }
    try {
      assertThatThrownBy(() -> RpcClient.connect(loops, nobody, timer))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("cannot connect to ");
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** The whole example, over a real connection. */
  @Test
  void main_printsWhatThePageSays() throws Exception {
    String page = Files.readString(Path.of("../../docs/use/examples.md"));
    assertThat(page).contains("```text\n" + output() + "```");
  }

  private static String output() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      NettyRpc.main();
    } finally {
      System.setOut(out);
    }
    return bytes.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
  }

  private void advance(long byNanos) {
    nanos.addAndGet(byNanos);
    timer.advance();
  }

  /** Returns what the client has sent. */
  private List<Message> requests() {
    for (ByteBuf sent; (sent = channel.readOutbound()) != null; ) {
      server.writeInbound(sent);
    }
    List<Message> requests = new ArrayList<>();
    for (Message request; (request = server.readInbound()) != null; ) {
      requests.add(request);
    }
    return requests;
  }

  private Message request() {
    return requests().get(0);
  }

  private void receive(Message reply) {
    channel.writeInbound(bytes(reply));
  }

  private ByteBuf bytes(Message message) {
    server.writeOutbound(message);
    ByteBuf bytes = Unpooled.buffer();
    for (ByteBuf part; (part = server.readOutbound()) != null; ) {
      bytes.writeBytes(part);
      part.release();
    }
    return bytes;
  }
}

package dev.purgatory.examples.netty;

import dev.purgatory.timer.Timer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Calls over one connection, and what becomes of them when replies or the connection are lost. */
public final class NettyRpc {
  private static final int CALLS = 1000;
  private static final int IN_FLIGHT = 10;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(100);

  private NettyRpc() {}

  /**
   * Runs the example, with the server in the same process.
   *
   * @param args ignored
   * @throws Exception if the server cannot be started or reached
   */
  public static void main(String... args) throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try (Timer timer = Timer.builder().start("rpc-timer");
        RpcServer server = new RpcServer(loops);
        RpcClient client = RpcClient.connect(loops, server.address(), timer)) {
      manyCalls(client);
      lostReply(client);
      lateReply(client);
      duplicateReply(client);
      errorReply(client);
      lostConnection(client);
      System.out.println(client.pending() + " calls are left");
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private static void manyCalls(RpcClient client) {
    List<CompletableFuture<String>> replies =
        IntStream.range(0, CALLS)
            .<CompletableFuture<String>>mapToObj(i -> client.call("call " + i, LONG))
            .toList();
    long right =
        IntStream.range(0, CALLS).filter(i -> replies.get(i).join().equals("CALL " + i)).count();
    System.out.println(CALLS + " calls at once: " + right + " right replies");
  }

  private static void lostReply(RpcClient client) {
    System.out.println("lost reply: " + outcome(client.call("lose it", SHORT)));
  }

  private static void lateReply(RpcClient client) {
    String outcome = outcome(client.call("delay it", SHORT));
    client.call("release", LONG).join(); // its reply comes after the late one
    System.out.println("late reply: " + outcome + ", " + client.dropped() + " dropped");
  }

  private static void duplicateReply(RpcClient client) {
    long before = client.dropped();
    String outcome = outcome(client.call("repeat it", LONG));
    client.call("ping", LONG).join(); // its reply comes after the duplicate
    System.out.println(
        "duplicate reply: " + outcome + ", " + (client.dropped() - before) + " dropped");
  }

  private static void errorReply(RpcClient client) {
    System.out.println("error reply: " + outcome(client.call("refuse it", LONG)));
  }

  private static void lostConnection(RpcClient client) {
    List<CompletableFuture<String>> calls =
        IntStream.range(0, IN_FLIGHT)
            .<CompletableFuture<String>>mapToObj(i -> client.call("lose " + i, LONG))
            .toList();
    String last = outcome(client.call("hang-up", LONG));
    long failed = calls.stream().filter(call -> outcome(call).equals(last)).count();
    System.out.println("lost connection: " + (failed + 1) + " calls: " + last);
    System.out.println("after that: " + outcome(client.call("call", LONG)));
  }

  /** Returns the reply, or what the call failed with. */
  private static String outcome(CompletableFuture<String> call) {
    return call.handle(
            (reply, error) ->
                error == null
                    ? reply
                    : error.getClass().getSimpleName() + ": " + error.getMessage())
        .join();
  }
}

package dev.purgatory.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.asynchttpclient.Dsl.asyncHttpClient;
import static org.asynchttpclient.Dsl.config;

import dev.purgatory.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.timeout.TimeoutTimerTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** AsyncHttpClient with the timer, against a server that answers or does not. */
@Timeout(60)
class AsyncHttpClientTest {
  private SmallHttpServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = new SmallHttpServer();
  }

  @AfterEach
  void stopServer() throws IOException {
    server.close();
  }

  @Test
  void requestTimesOut_afterAMinuteOfVirtualTime() throws Exception {
    // sample: netty-virtual-time
    VirtualTime time = VirtualTime.create();
    WheelTimer timer = new WheelTimer(time.timer());
    var config = config().setNettyTimer(timer).setRequestTimeout(Duration.ofMinutes(1));
    try (AsyncHttpClient client = asyncHttpClient(config)) {
      CompletableFuture<Response> reply =
          client.prepareGet(server.url("/silent")).execute().toCompletableFuture();

      assertThat(server.arrived.poll(30, SECONDS)).startsWith("GET /silent");
      time.advance(Duration.ofMinutes(1).minusMillis(1));
      assertThat(reply).isNotDone();

      time.advance(Duration.ofMillis(1));
      assertThatThrownBy(() -> reply.get(30, SECONDS)).hasCauseInstanceOf(TimeoutException.class);
    }
    // end
    assertThat(timer.stop()).noneMatch(left -> left.task() instanceof TimeoutTimerTask);
  }

  @Test
  void requestTimesOut_inRealTime() throws Exception {
    // sample: netty-client
    WheelTimer timer = new WheelTimer(1, TimeUnit.MILLISECONDS);
    AsyncHttpClient client = asyncHttpClient(config().setNettyTimer(timer));
    // end
    try (client) {
      CompletableFuture<Response> reply =
          client
              .prepareGet(server.url("/silent"))
              .setRequestTimeout(Duration.ofMillis(100))
              .execute()
              .toCompletableFuture();
      assertThatThrownBy(() -> reply.get(30, SECONDS)).hasCauseInstanceOf(TimeoutException.class);
    }
    timer.stop();
  }

  @Test
  void answeredRequests_leaveNoTimeout() throws Exception {
    WheelTimer timer = new WheelTimer(TimerContract.THREADS);
    try (AsyncHttpClient client = asyncHttpClient(config().setNettyTimer(timer))) {
      for (int i = 0; i < 20; i++) {
        Response reply = client.prepareGet(server.url("/hello")).execute().get(30, SECONDS);
        assertThat(reply.getResponseBody()).isEqualTo("hello");
      }
      // The client cancels the last request's timeout shortly after the reply. Two timeouts of its
      // own are left: its pool looks for idle connections, its store for expired cookies.
      // While one of these runs, it is not pending.
      long end = System.nanoTime() + SECONDS.toNanos(30);
      long pending = timer.pendingTimeouts();
      while (pending != 2 && System.nanoTime() < end) {
        Thread.sleep(1);
        pending = timer.pendingTimeouts();
      }
      assertThat(pending).isEqualTo(2);
    }
    timer.stop();
  }
}

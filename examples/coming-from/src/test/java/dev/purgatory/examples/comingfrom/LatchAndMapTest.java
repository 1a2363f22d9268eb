package dev.purgatory.examples.comingfrom;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.purgatory.Replies;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that block until their reply: with a latch and two maps, and with {@link Replies}. */
@Timeout(30)
class LatchAndMapTest {

  interface Connection {
    void send(int id, String request);
  }

  private static final class Before {
    private final Connection connection;

    Before(Connection connection) {
      this.connection = connection;
    }

    // sample: from-latch
    private final Map<Integer, CountDownLatch> latches = new ConcurrentHashMap<>();
    private Map<Integer, String> values = new ConcurrentHashMap<>();

    String call(int id, String request) throws InterruptedException, TimeoutException {
      CountDownLatch latch = new CountDownLatch(1);
      latches.put(id, latch);
      try {
        connection.send(id, request);
        if (!latch.await(30, SECONDS)) {
          throw new TimeoutException();
        }
        return values.get(id);
      } finally {
        latches.remove(id);
        values.remove(id);
      }
    }

    void onReply(int id, String value) {
      CountDownLatch latch = latches.get(id);
      if (latch != null) {
        values.put(id, value); // stays if the call has just ended
        latch.countDown();
      }
    }

    // end
  }

  private static final class After {
    private final Connection connection;

    After(Connection connection) {
      this.connection = connection;
    }

    // sample: latch-to-replies
    private final Replies<Integer, String> replies =
        Replies.builder("rpc", Integer.class, String.class).build();

    String call(int id, String request) throws InterruptedException, ExecutionException {
      CompletableFuture<String> reply = replies.expect(id, Duration.ofSeconds(30));
      connection.send(id, request);
      return reply.get();
    }

    void onReply(int id, String value) {
      replies.complete(id, value);
    }

    // end
  }

  @Test
  void before_replyEndsItsCall() throws Exception {
    Before[] client = new Before[1];
    client[0] = new Before((id, request) -> client[0].onReply(id, request + " two"));
    assertThat(client[0].call(1, "one")).isEqualTo("one two");
    assertThat(client[0].latches).isEmpty();
    assertThat(client[0].values).isEmpty();
  }

  @Test
  void after_replyEndsItsCall() throws Exception {
    After[] client = new After[1];
    client[0] = new After((id, request) -> client[0].onReply(id, request + " two"));
    assertThat(client[0].call(1, "one")).isEqualTo("one two");
    assertThat(client[0].replies.pending()).isZero();
  }

  @Test
  void before_replyThatMeetsTheEndOfItsCall_stays() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    Before client = new Before((id, request) -> sent.countDown());
    Thread caller = start(() -> client.call(1, "one"));
    client.values =
        new ConcurrentHashMap<>() {
          @Override
          public String put(Integer id, String value) {
            interrupt(caller); // between the two lines of onReply()
            return super.put(id, value);
          }
        };
    sent.await();
    client.onReply(1, "late");
    assertThat(client.latches).isEmpty();
    assertThat(client.values).containsExactly(entry(1, "late")); // nobody will ever remove it
  }

  @Test
  void after_replyThatMeetsTheEndOfItsCall_isReleased() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    After client = new After((id, request) -> sent.countDown());
    Thread caller = start(() -> client.call(1, "one"));
    sent.await();
    interrupt(caller);
    client.onReply(1, "late");
    assertThat(client.replies.pending()).isZero();
  }

  private static Thread start(Callable<String> call) {
    Thread thread = new Thread(new FutureTask<>(call));
    thread.start();
    return thread;
  }

  /** Ends a call as its time limit would. */
  private static void interrupt(Thread caller) {
    caller.interrupt();
    try {
      caller.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

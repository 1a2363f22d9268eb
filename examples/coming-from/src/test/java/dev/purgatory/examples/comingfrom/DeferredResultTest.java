package dev.purgatory.examples.comingfrom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.web.context.request.async.DeferredResult;

/** Clients that wait for the next message: {@code DeferredResult}, and {@link HeldFuture}. */
class DeferredResultTest {

  private static final class Before {
    // sample: from-deferred-result
    private final Map<String, Queue<DeferredResult<String>>> waiting = new ConcurrentHashMap<>();

    DeferredResult<String> next(String topic) {
      DeferredResult<String> result = new DeferredResult<>(30_000L, "none");
      Queue<DeferredResult<String>> queue =
          waiting.computeIfAbsent(topic, key -> new ConcurrentLinkedQueue<>());
      queue.add(result);
      result.onCompletion(() -> queue.remove(result)); // searches the queue
      return result;
    }

    void publish(String topic, String message) {
      Queue<DeferredResult<String>> queue = waiting.get(topic);
      if (queue != null) {
        queue.forEach(result -> result.setResult(message));
      }
    }
    // end
  }

  private static final class After {
    // sample: to-held-future
    private final Purgatory<String> waiting = Purgatory.builder("next", String.class).build();
    private final Map<String, List<String>> logs = new ConcurrentHashMap<>();

    HeldFuture<String> next(String topic) {
      List<String> log = log(topic);
      int seen = log.size();
      return waiting
          .until(() -> log.size() > seen ? log.get(seen) : null)
          .orAfter(Duration.ofSeconds(30), () -> "none")
          .hold(topic);
    }

    void publish(String topic, String message) {
      log(topic).add(message);
      waiting.signal(topic);
    }

    private List<String> log(String topic) {
      return logs.computeIfAbsent(topic, key -> new CopyOnWriteArrayList<>());
    }
    // end
  }

  @Test
  void before_messageAnswersAllThatWaitForItsTopic() {
    Before before = new Before();
    DeferredResult<String> news = before.next("news");
    DeferredResult<String> alsoNews = before.next("news");
    DeferredResult<String> other = before.next("other");
    before.publish("news", "hello");
    assertThat(news.getResult()).isEqualTo("hello");
    assertThat(alsoNews.getResult()).isEqualTo("hello");
    assertThat(other.hasResult()).isFalse();
  }

  @Test
  void after_messageAnswersAllThatWaitForItsTopic() {
    After after = new After();
    HeldFuture<String> news = after.next("news");
    HeldFuture<String> alsoNews = after.next("news");
    HeldFuture<String> other = after.next("other");
    after.publish("news", "hello");
    assertThat(news).isCompletedWithValue("hello");
    assertThat(alsoNews).isCompletedWithValue("hello");
    assertThat(other).isNotDone();
    assertThat(other.cancel(false)).isTrue();
    assertThat(after.waiting.inspect().keys()).isLessThanOrEqualTo(2);
    assertThat(after.waiting.pending()).isZero();
  }
}

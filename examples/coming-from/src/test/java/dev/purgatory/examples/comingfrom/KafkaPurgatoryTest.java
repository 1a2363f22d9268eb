package dev.purgatory.examples.comingfrom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A delayed read, with Kafka's purgatory and with this one. */
@Timeout(60)
@SuppressWarnings("SameNameButDifferent") // as in the samples
class KafkaPurgatoryTest {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final AtomicInteger expired = new AtomicInteger();

  private List<String> after(int offset) {
    return log.stream().skip(offset).toList();
  }

  private final class Before {
    // sample: from-kafka
    record Partition(String keyLabel) implements DelayedOperationKey {}

    final class Read extends org.apache.kafka.server.purgatory.DelayedOperation {
      final CompletableFuture<List<String>> answer = new CompletableFuture<>();
      final int offset;

      Read(int offset, long timeoutMillis) {
        super(timeoutMillis);
        this.offset = offset;
      }

      @Override
      public boolean tryComplete() {
        return log.size() > offset && forceComplete();
      }

      @Override
      public void onComplete() { // called on a timeout, too
        answer.complete(after(offset));
      }

      @Override
      public void onExpiration() {
        expired.incrementAndGet();
      }
    }

    final DelayedOperationPurgatory<Read> reads = new DelayedOperationPurgatory<>("reads", 0);

    CompletableFuture<List<String>> read(Partition partition, int offset, long timeoutMillis) {
      Read read = new Read(offset, timeoutMillis);
      reads.tryCompleteElseWatch(read, List.of(partition));
      return read.answer;
    }

    void append(Partition partition, String entry) {
      log.add(entry);
      reads.checkAndComplete(partition);
    }
    // end
  }

  private final class After {
    // sample: to-delayed-operation
    record Partition(String name) {}

    final class Read extends DelayedOperation {
      final CompletableFuture<List<String>> answer = new CompletableFuture<>();
      final int offset;

      Read(int offset, Duration timeout) {
        super(timeout);
        this.offset = offset;
      }

      @Override
      protected boolean isReady() {
        return log.size() > offset;
      }

      @Override
      protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
        if (outcome == Outcome.TIMED_OUT) {
          expired.incrementAndGet();
        }
        answer.complete(after(offset));
      }
    }

    final Purgatory<Partition> reads = Purgatory.builder("reads", Partition.class).build();

    CompletableFuture<List<String>> read(Partition partition, int offset, Duration timeout) {
      Read read = new Read(offset, timeout);
      reads.hold(read, partition);
      return read.answer;
    }

    void append(Partition partition, String entry) {
      log.add(entry);
      reads.signal(partition);
    }
    // end
  }

  @Test
  void before_readIsAnsweredByAnEntry_orExpires() throws Exception {
    Before before = new Before();
    Before.Partition partition = new Before.Partition("p0");
    CompletableFuture<List<String>> read = before.read(partition, 0, LONG_MILLIS);
    assertThat(before.reads.numDelayed()).isOne();
    before.append(partition, "one");
    assertThat(read).isCompletedWithValue(List.of("one"));
    assertThat(expired).hasValue(0);

    assertThat(before.read(partition, 1, 5).get(30, TimeUnit.SECONDS)).isEmpty();
    before.reads.shutdown();
    assertThat(expired).hasValue(1);
  }

  @Test
  void after_readIsAnsweredByAnEntry_orExpires() throws Exception {
    After after = new After();
    After.Partition partition = new After.Partition("p0");
    CompletableFuture<List<String>> read = after.read(partition, 0, Duration.ofHours(1));
    assertThat(after.reads.pending()).isOne();
    after.append(partition, "one");
    assertThat(read).isCompletedWithValue(List.of("one"));
    assertThat(expired).hasValue(0);

    assertThat(after.read(partition, 1, Duration.ofMillis(5)).get(30, TimeUnit.SECONDS)).isEmpty();
    after.reads.close();
    assertThat(expired).hasValue(1);
  }
}

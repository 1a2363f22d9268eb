package dev.purgatory.benchmarks.contender;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** This project's purgatory with the defaults of its builder. */
final class PurgatoryContender implements Contender {
  private final Endings endings;
  private final Purgatory<Key> purgatory = Purgatory.builder("bench", Key.class).build();

  PurgatoryContender(Endings endings) {
    this.endings = endings;
  }

  @Override
  public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
    Request request = new Request(endings, payload, timeoutMillis);
    purgatory.hold(request, keys);
    return request;
  }

  @Override
  public int check(Key key) {
    return purgatory.signal(key);
  }

  @Override
  public long watched() {
    return purgatory.inspect().watched();
  }

  @Override
  public void close() {
    purgatory.close();
  }

  private static final class Request extends DelayedOperation implements Held {
    private final Endings endings;
    private final byte[] payload;

    Request(Endings endings, byte[] payload, long timeoutMillis) {
      super(Duration.ofMillis(timeoutMillis));
      this.endings = endings;
      this.payload = payload;
    }

    @Override
    protected boolean isReady() {
      return Payload.isAnswerable(payload);
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      endings.ended(payload);
      if (outcome == Outcome.TIMED_OUT) {
        endings.timedOut(payload);
      }
    }
  }
}

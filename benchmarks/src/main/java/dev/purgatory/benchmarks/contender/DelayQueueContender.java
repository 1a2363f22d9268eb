package dev.purgatory.benchmarks.contender;

import dev.purgatory.benchmarks.olddesign.OldPurgatory;
import dev.purgatory.benchmarks.olddesign.OldRequest;
import java.util.List;

/** The old design of Kafka 0.8. */
final class DelayQueueContender implements Contender {
  private final Endings endings;
  private final OldPurgatory<Key> purgatory = new OldPurgatory<>();

  DelayQueueContender(Endings endings) {
    this.endings = endings;
  }

  @Override
  public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
    Request request = new Request(endings, payload, timeoutMillis);
    purgatory.checkAndMaybeWatch(request, keys);
    return request;
  }

  @Override
  public int check(Key key) {
    return purgatory.update(key);
  }

  @Override
  public long watched() {
    return purgatory.watched();
  }

  @Override
  public void close() {
    purgatory.close();
  }

  private static final class Request extends OldRequest implements Held {
    private final Endings endings;
    private final byte[] payload;

    Request(Endings endings, byte[] payload, long timeoutMillis) {
      super(timeoutMillis);
      this.endings = endings;
      this.payload = payload;
    }

    @Override
    public boolean complete() {
      return satisfy();
    }

    @Override
    protected boolean checkSatisfied() {
      return Payload.isAnswerable(payload);
    }

    @Override
    protected void onSatisfied() {
      endings.ended(payload);
    }

    @Override
    protected void onExpired() {
      endings.ended(payload);
      endings.timedOut(payload);
    }
  }
}

package dev.purgatory.benchmarks.contender;

import java.util.List;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * The purgatory with Kafka's class names, created as in a broker: Kafka's own, or the drop-in if it
 * comes first on the class path.
 */
final class KafkaContender implements Contender {
  private final Endings endings;
  private final DelayedOperationPurgatory<Request> purgatory =
      new DelayedOperationPurgatory<>("bench", 0);

  KafkaContender(Endings endings) {
    this.endings = endings;
  }

  @Override
  public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
    Request request = new Request(endings, payload, timeoutMillis);
    purgatory.tryCompleteElseWatch(request, keys);
    return request;
  }

  @Override
  public int check(Key key) {
    return purgatory.checkAndComplete(key);
  }

  @Override
  public long watched() {
    return purgatory.watched();
  }

  @Override
  public void close() {
    try {
      purgatory.shutdown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("cannot close Kafka's purgatory", e);
    }
  }

  private static final class Request extends DelayedOperation implements Held {
    private final Endings endings;
    private final byte[] payload;

    Request(Endings endings, byte[] payload, long timeoutMillis) {
      super(timeoutMillis);
      this.endings = endings;
      this.payload = payload;
    }

    @Override
    public boolean complete() {
      return forceComplete();
    }

    @Override
    public boolean tryComplete() {
      return Payload.isAnswerable(payload) && forceComplete();
    }

    @Override
    public void onComplete() {
      endings.ended(payload);
    }

    @Override
    public void onExpiration() {
      endings.timedOut(payload);
    }
  }
}

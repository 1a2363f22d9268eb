package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.OwnedRequests;
import java.time.Duration;

/**
 * Measures cancelling all requests of one owner among many. As many others follow them, so their
 * number stays the same.
 */
final class ScopesMeasurement implements Measurement {
  private static final Duration TIMEOUT = Duration.ofHours(1);

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    int members = settings.number("members");
    for (int among : settings.numbers("among")) {
      Output output = out.with("members", members).with("among", among);
      output.begin();
      try (OwnedRequests requests = Lineup.SCOPES.start(contender)) {
        Turns turns = new Turns(requests, members, among / members);
        Cost.warmUp(turns, settings);
        turns.forget();
        Cost cost = Cost.of(turns, settings.millis("length"));
        output.lowerIsBetter("cancelling one request, time", "ns", turns.nanosPerRequest());
        cost.report(output, "cancelling and holding one request");
      }
    }
  }

  private static final class Turns implements Cost.Work {
    private final OwnedRequests requests;
    private final int members;
    private final int owners;
    private int owner;
    private long key;
    private long nanos;
    private long cancelled;

    Turns(OwnedRequests requests, int members, int owners) {
      this.requests = requests;
      this.members = members;
      this.owners = owners;
      for (int i = 0; i < owners; i++) {
        hold(i);
      }
    }

    private void hold(int by) {
      for (int i = 0; i < members; i++) {
        requests.hold(by, key++, TIMEOUT);
      }
    }

    @Override
    public int perform() {
      long start = System.nanoTime();
      int ended = requests.cancel(owner);
      nanos += System.nanoTime() - start;
      cancelled += ended;
      if (ended != members) {
        throw new IllegalStateException(ended + " of " + members + " cancelled");
      }
      hold(owner);
      owner = (owner + 1) % owners;
      return members;
    }

    void forget() {
      nanos = 0;
      cancelled = 0;
    }

    double nanosPerRequest() {
      return nanos / (double) cancelled;
    }
  }
}

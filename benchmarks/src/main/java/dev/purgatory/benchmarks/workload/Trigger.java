package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;

/** What completes a request before its timeout. */
public enum Trigger {
  /** The request itself is completed: the contender need not look for it. */
  REQUEST {
    @Override
    Held completionOf(Held held, Contender contender, byte[] payload, Key key) {
      return held;
    }
  },
  /**
   * An event makes the request answerable, and a check of one of its keys finds it. This is how a
   * broker completes requests.
   */
  EVENT {
    @Override
    Held completionOf(Held held, Contender contender, byte[] payload, Key key) {
      return new Event(held, contender, payload, key);
    }
  };

  /** Returns what is to be done when the time of a request has come. */
  abstract Held completionOf(Held held, Contender contender, byte[] payload, Key key);

  /** The floor has nothing to check: there the request is completed by itself. */
  private static final class Event implements Held {
    private final Held held;
    private final Contender contender;
    private final byte[] payload;
    private final Key key;

    Event(Held held, Contender contender, byte[] payload, Key key) {
      this.held = held;
      this.contender = contender;
      this.payload = payload;
      this.key = key;
    }

    @Override
    public boolean complete() {
      Payload.makeAnswerable(payload);
      return contender.keepsTime() ? contender.check(key) > 0 : held.complete();
    }
  }
}

package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;

/** Determines what completes a request before its timeout. */
public enum Trigger {
  /** The request is completed directly, so the contender need not search for it. */
  REQUEST {
    @Override
    Held completionOf(Held held, Contender contender, byte[] payload, Key key) {
      return held;
    }
  },
  /**
   * An event makes the request answerable, and a check of one of its keys completes it, as in a
   * broker.
   */
  EVENT {
    @Override
    Held completionOf(Held held, Contender contender, byte[] payload, Key key) {
      return new Event(held, contender, payload, key);
    }
  };

  /** Returns the action that completes a request. */
  abstract Held completionOf(Held held, Contender contender, byte[] payload, Key key);

  /** The floor has no keys to check, so its requests are completed directly. */
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
      return contender.hasTimeouts() ? contender.check(key) > 0 : held.complete();
    }
  }
}

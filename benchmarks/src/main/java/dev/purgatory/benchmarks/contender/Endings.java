package dev.purgatory.benchmarks.contender;

/** Is told how requests end, on any thread. */
public interface Endings {

  /** Called once for each request: it was completed, or its time is up. */
  void ended(byte[] payload);

  /** Called once after {@link #ended}, on the same thread, if the time of the request was up. */
  void timedOut(byte[] payload);
}

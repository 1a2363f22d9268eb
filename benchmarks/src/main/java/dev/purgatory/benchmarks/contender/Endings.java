package dev.purgatory.benchmarks.contender;

/** Receives the ends of requests, on any thread. */
public interface Endings {

  /** Called once for each request, when it is completed or times out. */
  void ended(byte[] payload);

  /** Called after {@link #ended}, on the same thread, if the request timed out. */
  void timedOut(byte[] payload);
}

package dev.purgatory.benchmarks.report;

import java.util.Map;

/**
 * What a measurement is about.
 *
 * @param headline its name for people
 * @param meaning one sentence: what the numbers mean
 */
record Explanation(String headline, String meaning) {
  private static final Map<String, Explanation> KNOWN =
      Map.of(
          "enqueue",
          new Explanation(
              "Requests a second",
              "Requests arrive at random at a target rate, or as fast as they are taken (rate max);"
                  + " where the rate stays below its target, a contender is saturated. Processor"
                  + " time and collections are those of the whole JVM."),
          "threads",
          new Explanation(
              "Several threads",
              "Requests as fast as they are taken from several threads at once, of the mix low and"
                  + " with a timeout of 200 ms. The threads that complete them come on top."),
          "wheels",
          new Explanation(
              "Badly chosen wheels",
              "Requests as fast as they are taken, and lateness, with a tick and a number of"
                  + " buckets that nobody should choose, but for the first, which is Kafka's own."
                  + " All else on this page is measured with everybody's own."),
          "memory",
          new Explanation(
              "Memory",
              "Heap that an operation takes while it is pending, what is still held after it has"
                  + " completed, and what is allocated on the way."),
          "lateness",
          new Explanation(
              "Lateness of timeouts",
              "How long after its deadline a request is timed out while many are pending; early is"
                  + " wrong by any amount."),
          "many-keys",
          new Explanation(
              "Many keys per operation",
              "What it takes to watch one operation on very many keys and to complete it, in the"
                  + " caller's thread, and how much of it stays on the lists."),
          "wake-up",
          new Explanation(
              "One event for many waiters",
              "How long after an event the requests end that all wait for its key: the last of them"
                  + " waits for all the others."),
          "idle",
          new Explanation(
              "Nothing to do",
              "How often threads wake up, and the processor time, while operations are pending whose"
                  + " deadlines are far away."),
          "timer",
          new Explanation(
              "Timers alone",
              "What it takes to cancel a timeout and to add another, the life of nearly every"
                  + " timeout, while many are pending."),
          "micro",
          new Explanation(
              "The smallest costs",
              "What one call takes of the calling thread, and what the JVM allocates for it: a"
                  + " request is held and completed at once, by itself or by its key, or a key is"
                  + " checked. What other threads tidy up is in the time only where it is in the"
                  + " way."));

  /** What is known of a measurement; of one that is not known, its name. */
  static Explanation of(String bench) {
    return KNOWN.getOrDefault(
        bench, new Explanation(bench, "No more is known of it than its name."));
  }
}

package dev.purgatory.benchmarks.report;

import static java.util.Map.entry;

import java.util.Map;

/**
 * What a measurement is about.
 *
 * @param headline its name for people
 * @param meaning one sentence: what the numbers mean
 */
record Explanation(String headline, String meaning) {
  private static final Map<String, Explanation> KNOWN =
      Map.ofEntries(
          entry(
              "enqueue",
              new Explanation(
                  "Requests a second",
                  "Requests arrive at random at a target rate, or as fast as the contender takes them"
                      + " (rate max). Where the rate stays below its target, a contender is saturated."
                      + " Processor time and collections are those of the whole JVM. Completion lag is"
                      + " the time from when a request was to be completed to when it was.")),
          entry(
              "events",
              new Explanation(
                  "The event path",
                  "The same load, but an event makes each request answerable, and a check of one of"
                      + " its keys completes it, as in a broker. There are 10,000 keys.")),
          entry(
              "same-keys",
              new Explanation(
                  "The same three keys",
                  "The same load, but all requests wait for the same three keys, as in the benchmark"
                      + " of Kafka's redesign proposal.")),
          entry(
              "threads",
              new Explanation(
                  "Several threads",
                  "Requests as fast as they are taken from several threads at once, of the mix low and"
                      + " with a timeout of 200 ms. The threads that complete them come on top.")),
          entry(
              "wheels",
              new Explanation(
                  "Badly chosen wheels",
                  "Requests as fast as they are taken, and lateness, with a tick and a number of"
                      + " buckets that nobody should choose, but for the first, which is Kafka's own."
                      + " All else on this page is measured with everybody's own.")),
          entry(
              "memory",
              new Explanation(
                  "Memory",
                  "Heap that an operation takes while it is pending, what is still held after it has"
                      + " completed, and what is allocated on the way.")),
          entry(
              "lateness",
              new Explanation(
                  "Lateness of timeouts",
                  "How long after its deadline a request is timed out while many are pending; early is"
                      + " wrong by any amount.")),
          entry(
              "many-keys",
              new Explanation(
                  "Many keys per operation",
                  "What it takes to watch one operation on very many keys and to complete it, in the"
                      + " caller's thread, and how much of it stays on the lists.")),
          entry(
              "wake-up",
              new Explanation(
                  "One event for many waiters",
                  "How long after an event the requests end that all wait for its key: the last of them"
                      + " waits for all the others.")),
          entry(
              "idle",
              new Explanation(
                  "Nothing to do",
                  "How often threads wake up, and the processor time, while operations are pending whose"
                      + " deadlines are far away.")),
          entry(
              "timer",
              new Explanation(
                  "Timers alone",
                  "What it takes to cancel a timeout and to add another, the life of nearly every"
                      + " timeout, while many are pending.")),
          entry(
              "micro",
              new Explanation(
                  "The smallest costs",
                  "What one call takes of the calling thread, and what the JVM allocates for it: a"
                      + " request is held and completed at once, by itself or by its key, or a key is"
                      + " checked. What other threads tidy up is in the time only where it is in the"
                      + " way.")),
          entry(
              "broker-polls",
              new Explanation(
                  "Brokers whose long polls expire",
                  "Consumers long-poll quiet partitions for 50 ms on a real broker, and pause for up to"
                      + " 10 ms before the next. Processor time is that of the broker's process, after it"
                      + " has warmed up. The own share is that of all samples of processor time whose"
                      + " innermost Java frame outside of the JDK is the purgatory's: watch lists,"
                      + " purging these, the timer, and what the drop-in counts. Late is what an answer takes"
                      + " longer than its time, seen from the client. The floor's polls come at the same"
                      + " pace and are not held.")),
          entry(
              "broker-held",
              new Explanation(
                  "Brokers that hold thousands of long polls",
                  "Heap of a real broker after a full collection, with connections whose polls are all"
                      + " held; of the floor, with the same connections and no poll; and what is left"
                      + " after the polls have ended. Wake-up is the time from one write, which ends all"
                      + " polls, to the arrival of each answer: it has no floor, as somebody must wait"
                      + " to be woken.")),
          entry(
              "broker-writes",
              new Explanation(
                  "Writes to three brokers",
                  "Writes with acks=all at a fixed rate, each in a request of its own. Processor time is"
                      + " that of all nodes, with what they do when nobody writes. Latency is the time"
                      + " from when a write was due to its acknowledgement. There is no floor: a write"
                      + " that other nodes must have, too, is always held.")));

  /** What is known of a measurement; of one that is not known, its name. */
  static Explanation of(String bench) {
    return KNOWN.getOrDefault(
        bench, new Explanation(bench, "No more is known of it than its name."));
  }
}

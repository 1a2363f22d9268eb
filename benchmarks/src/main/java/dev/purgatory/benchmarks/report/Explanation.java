package dev.purgatory.benchmarks.report;

import static java.util.Map.entry;

import java.util.Map;

/**
 * Explains a measurement.
 *
 * @param headline the title of its section
 * @param meaning what its values mean
 */
record Explanation(String headline, String meaning) {
  private static final Map<String, Explanation> KNOWN =
      Map.ofEntries(
          entry(
              "enqueue",
              new Explanation(
                  "Requests per second",
                  "Requests arrive at random at a target rate, or as fast as the contender accepts them"
                      + " (rate max). If the rate stays below its target, the contender is saturated."
                      + " Processor time and collections are those of the whole JVM. Completion lag is"
                      + " the time from when a request was due to be completed until it was.")),
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
                  "Requests arrive from several threads, as fast as the contender accepts them, with the"
                      + " low mix and a timeout of 200 ms. Other threads complete them.")),
          entry(
              "wheels",
              new Explanation(
                  "Badly chosen wheels",
                  "The highest rate and the lateness of timeouts with unsuitable ticks and numbers of"
                      + " buckets. Only the first wheel is a good choice: it is Kafka's own. All other"
                      + " measurements use the contenders' defaults.")),
          entry(
              "memory",
              new Explanation(
                  "Memory",
                  "The heap that an operation uses while it is pending, the heap that remains after it"
                      + " has completed, and the allocation.")),
          entry(
              "lateness",
              new Explanation(
                  "Lateness of timeouts",
                  "The time from the deadline of a request to its timeout while many are pending."
                      + " Timeouts should never be early.")),
          entry(
              "many-keys",
              new Explanation(
                  "Many keys per operation",
                  "The time to watch one operation on very many keys and to complete it, in the"
                      + " caller's thread, and the number of entries that remain on the lists.")),
          entry(
              "wake-up",
              new Explanation(
                  "One event for many waiters",
                  "The time from an event to the end of each request that waits for its key. The last"
                      + " request waits for all others.")),
          entry(
              "idle",
              new Explanation(
                  "Idle purgatories",
                  "The number of wake-ups and the processor time while all pending operations have"
                      + " distant deadlines.")),
          entry(
              "timer",
              new Explanation(
                  "Bare timers",
                  "The time to cancel a timeout and add another while many are pending. Nearly all"
                      + " timeouts are cancelled in practice.")),
          entry(
              "timer-threads",
              new Explanation(
                  "Bare timers, from many threads",
                  "The time that one thread takes to cancel a timeout and add another, while others do"
                      + " the same on one timer.")),
          entry(
              "timer-pace",
              new Explanation(
                  "Bare timers, now and then",
                  "A timeout is cancelled and another added at random moments, so that the machine is"
                      + " idle most of the time. Processor time is that of the calls and of the timer's"
                      + " threads; wake-ups are those of its threads.")),
          entry(
              "timer-cancel",
              new Explanation(
                  "Timeouts that another thread cancels",
                  "One thread adds timeouts, and another cancels them. Time is that of the slower one;"
                      + " processor time is that of the whole JVM.")),
          entry(
              "timer-burst",
              new Explanation(
                  "Timeouts that are due together",
                  "Very many timeouts are due at the same moment. One that has nothing to do with them"
                      + " is due a millisecond later. Processor time is that of the timer's threads.")),
          entry(
              "micro",
              new Explanation(
                  "Single calls",
                  "The time that one call takes in its thread, and what the JVM allocates for it. A"
                      + " request is held and completed at once, directly or through its key, or a key"
                      + " is checked. The work of background threads counts only if it interferes.")),
          entry(
              "thresholds",
              new Explanation(
                  "Waiting for a number",
                  "10,000 requests wait for different numbers. An advance satisfies ten of them, and ten"
                      + " others follow. Time is that of the calling thread; processor time is that of"
                      + " the whole JVM.")),
          entry(
              "replies",
              new Explanation(
                  "Replies by id",
                  "One thread awaits a reply with a timeout of 30 s and completes another, picked at"
                      + " random from 1,000. Each id is used once. One reply in a hundred is lost, and"
                      + " 100,000 that were lost before time out in the meantime. Paced requests arrive"
                      + " at random, at a rate that leaves the machine idle most of the time. In a burst,"
                      + " very many replies time out at the same moment, and one of another table a"
                      + " millisecond later.")),
          entry(
              "limits",
              new Explanation(
                  "Timeouts on stages",
                  "One thread puts a timeout of 30 s on a new stage and completes another, picked at random from"
                      + " 1,000. Heap that is left is measured after 100,000 stages have ended. Paced stages"
                      + " come at random, at a rate that leaves the machine idle most of the time.")),
          entry(
              "sessions",
              new Explanation(
                  "Sessions",
                  "One thread touches one session after the other, in random order, for as long as their"
                      + " timeout. None expires.")),
          entry(
              "scopes",
              new Explanation(
                  "Requests of one owner",
                  "All requests of one owner are cancelled, and as many are held again. The time is that"
                      + " of one request.")),
          entry(
              "broker-polls",
              new Explanation(
                  "Long polls that expire in a broker",
                  "Consumers long-poll quiet partitions of a real broker for 50 ms, with pauses of up to"
                      + " 10 ms. Processor time is that of the broker's process after a warm-up, and that of"
                      + " its just-in-time compilers apart. The own"
                      + " share is the percentage of processor time samples whose innermost Java frame"
                      + " outside the JDK belongs to the purgatory: its watch lists, purging, its timer,"
                      + " and the statistics of the drop-in. Lateness is the time by which a response"
                      + " exceeds the wait time, as seen by the client. On the floor, polls arrive at the"
                      + " same pace and are not held.")),
          entry(
              "broker-held",
              new Explanation(
                  "Thousands of long polls in a broker",
                  "The heap of a real broker after a full collection: with connections whose polls are"
                      + " all held; for the floor, with the same connections and no polls; and after the"
                      + " polls have ended. Wake-up is the time from one write, which ends all polls, to"
                      + " the arrival of each response. It has no floor.")),
          entry(
              "broker-retained",
              new Explanation(
                  "What a broker retains after long polls",
                  "Consumers long-poll many quiet partitions of a real broker, until each poll expires"
                      + " after 500 ms. A step is two polls of each consumer; after step 24, when the"
                      + " consumers have disconnected, it is a pause of two seconds. After each step,"
                      + " while no poll is held, the broker's heap is measured after a full"
                      + " collection, and the polls that have ended but are still reachable are"
                      + " counted.")),
          entry(
              "broker-writes",
              new Explanation(
                  "Writes to three brokers",
                  "Writes with acks=all at a fixed rate, each in its own request. Processor time is that"
                      + " of all nodes, including their background work, and that of their just-in-time"
                      + " compilers apart. Latency is the time from when a"
                      + " write was due until its acknowledgement. There is no floor, since a write that"
                      + " must be replicated is always held.")));

  /** Returns the explanation of a measurement, or just the name of an unknown one. */
  static Explanation of(String bench) {
    return KNOWN.getOrDefault(bench, new Explanation(bench, "No description available."));
  }
}

package dev.purgatory.benchmarks.answers;

import dev.purgatory.cluster.disturb.Disturbance;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The settings of a soak of answers.
 *
 * @param contender what the instances run: {@link #SHARED} or {@link #BY_HAND}
 * @param instances the number of instances of the service, at least 1
 * @param faults what happens to instances and brokers; empty for nothing
 * @param troubles what happens besides; empty for nothing
 * @param waiters how many clients await each id, at least 1
 * @param completers how many clients answer each id, and ask whether they were the first
 * @param offerers how many clients answer each id without asking that. All answers to an id differ
 * @param rate the number of new ids in a second, at least 1
 * @param length the duration of the load
 * @param patience how long clients may still try, once the load and the disturbances have ended
 * @param seed the seed of the disturbances
 */
public record AnswersSoakPlan(
    String contender,
    int instances,
    List<Disturbance> faults,
    Set<Trouble> troubles,
    int waiters,
    int completers,
    int offerers,
    int rate,
    Duration length,
    Duration patience,
    long seed) {

  /** {@code SharedReplies} over Kafka. */
  public static final String SHARED = "shared";

  /** A map and a consumer, on Spring for Apache Kafka. */
  public static final String BY_HAND = "by-hand";

  /** Copies the collections. */
  public AnswersSoakPlan {
    faults = List.copyOf(faults);
    troubles = Set.copyOf(troubles);
  }
}

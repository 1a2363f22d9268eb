package dev.purgatory.checker;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a request of a {@link RequestRun}. It is held as a future until it is ready,
 * until its thresholds are reached, or until a signal has its reason.
 *
 * @param number its number
 * @param purgatory the number of the purgatory
 * @param keys its keys; none if it waits for thresholds only, or on a key group
 * @param keyGroup the number of the key group it is held on; -1 for none
 * @param thresholds its thresholds by key
 * @param reached how many thresholds have to be reached
 * @param scopes the numbers of its scopes
 * @param weight its weight
 * @param timeoutNanos its timeout; {@link Long#MAX_VALUE} for none
 * @param jitterNanos the jitter of its timeout
 * @param recheckNanos the period of its evaluations; 0 for none
 * @param fails whether its condition throws instead of being true
 * @param takes whether its condition takes a value, and is false while there is none
 * @param looks how its condition is evaluated
 * @param interferes what its condition does after it has taken a value
 * @param thread the number of the thread that holds it; 0 for the program's own
 */
record RequestPlan(
    int number,
    int purgatory,
    List<Integer> keys,
    int keyGroup,
    Map<Integer, Long> thresholds,
    int reached,
    List<Integer> scopes,
    long weight,
    long timeoutNanos,
    long jitterNanos,
    long recheckNanos,
    boolean fails,
    boolean takes,
    Looks looks,
    RequestStep.@Nullable What interferes,
    int thread) {

  /** How a condition is evaluated. */
  enum Looks {
    /** By a function that returns the answer. */
    HERE,
    /** By a stage that is complete. */
    AT_ONCE,
    /** By a stage that a step completes. */
    LATER
  }

  /** Returns whether the condition takes time: it is not evaluated when its request times out. */
  boolean isAsync() {
    return looks != Looks.HERE;
  }

  /** Returns a plan with fewer features. */
  RequestPlan simpler() {
    return new RequestPlan(
        number,
        purgatory,
        keys,
        keyGroup,
        thresholds,
        reached,
        List.of(),
        1,
        timeoutNanos,
        0,
        0,
        false,
        takes,
        looks,
        interferes,
        0);
  }
}

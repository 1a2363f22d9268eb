package dev.purgatory.checker;

import java.util.List;
import java.util.Map;

/**
 * The properties of a request of a {@link RequestProgram}. It is held as a future until it is
 * ready, until its thresholds are reached, or until a signal has its reason.
 *
 * @param number its number
 * @param purgatory the number of the purgatory
 * @param keys its keys; none if it waits for thresholds only, or on a key set
 * @param keySet the number of the key set it is held on; -1 for none
 * @param thresholds its thresholds by key
 * @param reached how many thresholds have to be reached
 * @param scopes the numbers of its scopes
 * @param weight its weight
 * @param timeoutNanos its timeout; {@link Long#MAX_VALUE} for none
 * @param jitterNanos the jitter of its timeout
 * @param recheckNanos the period of its evaluations; 0 for none
 * @param fails whether its condition throws instead of being true
 */
record RequestPlan(
    int number,
    int purgatory,
    List<Integer> keys,
    int keySet,
    Map<Integer, Long> thresholds,
    int reached,
    List<Integer> scopes,
    long weight,
    long timeoutNanos,
    long jitterNanos,
    long recheckNanos,
    boolean fails) {

  /** Returns a plan with fewer features. */
  RequestPlan simpler() {
    return new RequestPlan(
        number,
        purgatory,
        keys,
        keySet,
        thresholds,
        reached,
        List.of(),
        1,
        timeoutNanos,
        0,
        0,
        false);
  }
}

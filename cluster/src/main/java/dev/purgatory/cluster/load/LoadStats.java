package dev.purgatory.cluster.load;

import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The statistics of the clients of a run.
 *
 * @param sent messages passed to a producer
 * @param acknowledged messages that the cluster acknowledged
 * @param received distinct messages that the verifying reader received
 * @param lost acknowledged messages that the verifying reader did not receive
 * @param duplicates messages that the verifying reader received again
 * @param delivered messages that all long-polling consumers received together
 * @param latencyMicros time from sending to acknowledgement, in microseconds
 * @param errors errors that a client could not recover from
 * @param firstError the first of these errors, for messages
 */
public record LoadStats(
    long sent,
    long acknowledged,
    long received,
    long lost,
    long duplicates,
    long delivered,
    Histogram latencyMicros,
    long errors,
    Optional<String> firstError) {}

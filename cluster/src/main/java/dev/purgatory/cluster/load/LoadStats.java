package dev.purgatory.cluster.load;

import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * What the clients of a run saw.
 *
 * @param sent messages handed to a producer
 * @param acknowledged messages that the cluster promised to keep
 * @param received different messages that the verifying reader got
 * @param lost messages that were promised to be kept and never got
 * @param duplicates how often the verifying reader got a message again
 * @param delivered messages that the long-polling consumers got, together
 * @param latencyMicros time from sending to acknowledgement, in microseconds
 * @param errors how often a client met an error that it could not get over by itself
 * @param firstError the first of them, for people
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

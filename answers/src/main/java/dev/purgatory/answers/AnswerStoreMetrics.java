package dev.purgatory.answers;

/**
 * What an instance of a store has done, and does. {@code AnswerMetrics} of purgatory-micrometer
 * publishes it.
 *
 * @param written how many answers were written here
 * @param read how many records or rows were read here. Where it is many times the number that all
 *     instances write, they read for each other: see the page about answers across instances
 * @param looks how many looks for an answer have not ended, without those of ids that are awaited.
 *     Over PostgreSQL, how many looks and answers wait for a connection
 * @param windowBytes over Kafka, how much is kept of what was read
 * @param windowsRestarted over Kafka, how often an id was older than that, so that its partition
 *     was read again. If it grows, give the store a larger window
 * @param listenersLost over PostgreSQL, how often the connection that listens was lost, or heard
 *     nothing
 */
public record AnswerStoreMetrics(
    long written,
    long read,
    long looks,
    long windowBytes,
    long windowsRestarted,
    long listenersLost) {}

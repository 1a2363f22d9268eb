/**
 * A log that is replicated to three processes, one of which is killed. {@code ReplicatedLog} runs
 * it, and {@code Leader} decides when a write is acknowledged.
 */
@NullMarked
package dev.purgatory.examples.replicatedlog;

import org.jspecify.annotations.NullMarked;

/**
 * The request purgatory of Kafka 0.8, which the redesign replaced, reimplemented from its
 * description.
 *
 * <p>Each request is an entry in a {@link java.util.concurrent.DelayQueue} and on the watch list of
 * each of its keys. A completed request remains in all these places until it is encountered there,
 * or until a reaper scans all of them. The reaper does so whenever their number of entries exceeds
 * a threshold, whether these are completed or pending.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.olddesign.OldPurgatory}, {@link
 * dev.purgatory.benchmarks.olddesign.OldRequest}, {@code Watchers}, {@code Reaper}.
 */
@NullMarked
package dev.purgatory.benchmarks.olddesign;

import org.jspecify.annotations.NullMarked;

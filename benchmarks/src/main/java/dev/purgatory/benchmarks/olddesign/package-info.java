/**
 * The request purgatory of Kafka 0.8, which the redesign replaced, written after its description.
 *
 * <p>Each request is an entry of its own in a {@link java.util.concurrent.DelayQueue}, and on the
 * watch list of each of its keys. A completed request stays in all these places until it is met
 * there, or until a reaper has scanned all of them, which it does when they are longer than a
 * threshold: be that with completed requests or with pending ones.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.olddesign.OldPurgatory}, {@link
 * dev.purgatory.benchmarks.olddesign.OldRequest}, {@code Watchers}, {@code Reaper}.
 */
@NullMarked
package dev.purgatory.benchmarks.olddesign;

import org.jspecify.annotations.NullMarked;

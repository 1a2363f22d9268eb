/**
 * What a JVM tells about itself while it measures: heap, processor time, collections, wake-ups and
 * compilation. Any class is a good start.
 */
@NullMarked
package dev.purgatory.benchmarks.jvm;

import org.jspecify.annotations.NullMarked;

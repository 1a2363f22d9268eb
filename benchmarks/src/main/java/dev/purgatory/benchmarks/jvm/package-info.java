/**
 * Properties of the JVM that runs a measurement: heap, processor time, collections, wake-ups and
 * compilation. The classes can be read in any order.
 */
@NullMarked
package dev.purgatory.benchmarks.jvm;

import org.jspecify.annotations.NullMarked;

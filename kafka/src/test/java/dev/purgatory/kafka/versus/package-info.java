/**
 * Compares the drop-in with Kafka's own classes: one program runs in two JVMs that differ only in
 * their class path.
 *
 * <p>Reading order: {@link dev.purgatory.kafka.versus.DropInVersusStock} starts the two JVMs and
 * prints the table; {@link dev.purgatory.kafka.versus.Probes} is the program that each of them
 * runs. {@link dev.purgatory.kafka.versus.UnusualUses} is a second program, whose results are the
 * same in both.
 */
@NullMarked
package dev.purgatory.kafka.versus;

import org.jspecify.annotations.NullMarked;

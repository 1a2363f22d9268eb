/**
 * The drop-in and Kafka's own classes side by side: one program, run by two JVMs that differ in
 * their class path alone.
 *
 * <p>Reading order: {@link dev.purgatory.kafka.versus.DropInVersusStock} starts the two JVMs and
 * prints the table; {@link dev.purgatory.kafka.versus.Probes} is what each of them runs.
 */
@NullMarked
package dev.purgatory.kafka.versus;

import org.jspecify.annotations.NullMarked;

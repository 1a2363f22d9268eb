/**
 * A cluster under load whose nodes are disturbed at random, for as long as one likes.
 *
 * <p>Reading order: {@link dev.purgatory.cli.soak.SoakRun}, {@link
 * dev.purgatory.cluster.disturb.Disturbance}.
 */
@NullMarked
package dev.purgatory.cli.soak;

import org.jspecify.annotations.NullMarked;

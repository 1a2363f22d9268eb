/**
 * A soak of a cluster under load whose nodes are disturbed at random.
 *
 * <p>Reading order: {@link dev.purgatory.cli.soak.SoakRun}, {@link
 * dev.purgatory.cluster.disturb.Disturbance}.
 */
@NullMarked
package dev.purgatory.cli.soak;

import org.jspecify.annotations.NullMarked;

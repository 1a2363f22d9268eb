/**
 * The runs of three nodes under load: a demo, a soak whose nodes are disturbed at random, and a
 * rolling installation of the drop-in.
 *
 * <p>Reading order: {@code ClusterRun}, {@link dev.purgatory.cluster.run.DemoRun}, {@link
 * dev.purgatory.cluster.run.SoakRun}, {@link dev.purgatory.cluster.run.RollingRun}.
 */
@NullMarked
package dev.purgatory.cluster.run;

import org.jspecify.annotations.NullMarked;

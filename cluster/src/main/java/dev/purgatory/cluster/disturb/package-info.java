/**
 * Nodes that are killed, paused or isolated at random.
 *
 * <p>Reading order: {@link dev.purgatory.cluster.disturb.Disturbance}, {@link
 * dev.purgatory.cluster.disturb.DisturbanceSchedule}, {@link
 * dev.purgatory.cluster.disturb.GatedCluster}, {@link dev.purgatory.cluster.disturb.Gate}.
 */
@NullMarked
package dev.purgatory.cluster.disturb;

import org.jspecify.annotations.NullMarked;

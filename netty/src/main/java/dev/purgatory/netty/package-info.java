/**
 * The timer for libraries that take an {@code io.netty.util.Timer}: {@link
 * dev.purgatory.netty.WheelTimer}.
 */
@NullMarked
package dev.purgatory.netty;

import org.jspecify.annotations.NullMarked;

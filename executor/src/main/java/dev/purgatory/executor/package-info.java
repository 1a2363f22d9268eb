/**
 * A {@code ScheduledExecutorService} for very many delayed tasks, most of which are cancelled.
 *
 * <p>Start reading at {@link dev.purgatory.executor.WheelScheduledExecutor}.
 */
@NullMarked
package dev.purgatory.executor;

import org.jspecify.annotations.NullMarked;

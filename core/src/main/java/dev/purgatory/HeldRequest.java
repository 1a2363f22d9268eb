package dev.purgatory;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that a purgatory holds, at the moment when {@link Purgatory#held} saw it.
 *
 * @param operation the {@link HeldFuture}, the {@link DelayedOperation}, or the object of an
 *     adapter's type. Through it the request can be ended
 * @param keys the keys on which it is held, in no order; empty if it waits only for a threshold or
 *     a stage
 * @param scopes its owners, in no order
 * @param tag the {@link Hold#tag}; null if it has none
 * @param heldFor how long it has been held
 * @param timeLeft the time until it times out, negative if it is overdue; null without a time limit
 * @param <K> the type of the keys
 */
public record HeldRequest<K>(
    Object operation,
    List<K> keys,
    List<Scope> scopes,
    @Nullable Object tag,
    Duration heldFor,
    @Nullable Duration timeLeft) {}

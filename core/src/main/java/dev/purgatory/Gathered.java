package dev.purgatory;

import java.util.Map;

/**
 * The replies to a request that was sent to several receivers. See {@link Replies#gather}.
 *
 * @param isEnough whether as many have replied as were needed; look at this first
 * @param replies the replies by their ids, in the order in which the ids were given; more than were
 *     needed if several came at once
 * @param failures why others failed, by their ids, in the same order. An id that is in neither map
 *     was not awaited any longer
 * @param <I> the type of the ids
 * @param <R> the type of the replies
 */
public record Gathered<I, R>(boolean isEnough, Map<I, R> replies, Map<I, Throwable> failures) {}

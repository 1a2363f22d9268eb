package dev.purgatory;

import java.time.Duration;

/**
 * A reply that came when nobody awaited it any more. See {@link Replies.Builder#rememberEnded}.
 *
 * @param id the id of its request
 * @param reply the reply
 * @param outcome why the wait had ended: {@link Outcome#TIMED_OUT}, {@link Outcome#CANCELLED} or
 *     {@link Outcome#FAILED}
 * @param late the time since the wait had ended
 * @param <I> the type of the ids
 * @param <R> the type of the replies
 */
public record LateReply<I, R>(I id, R reply, Outcome outcome, Duration late) {}

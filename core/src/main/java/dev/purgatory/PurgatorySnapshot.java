package dev.purgatory;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a purgatory at a moment. Counts of a busy purgatory are from slightly different
 * moments.
 *
 * @param pending the number of held requests
 * @param unanswered the number of ended requests that are not answered yet
 * @param retained the number of entries of ended requests that are not removed yet
 * @param keys the number of keys
 * @param oldest how long the oldest request has been held; null if none is
 * @param busiest the number of held requests of the keys that have most, the busiest key first. A
 *     request that is held on a {@link KeyGroup} is counted for each of its keys
 * @param <K> the type of the keys
 */
public record PurgatorySnapshot<K>(
    long pending,
    long unanswered,
    long retained,
    int keys,
    @Nullable Duration oldest,
    Map<K, Integer> busiest) {}

package dev.purgatory;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a visit of all entries of a purgatory has found. Counts of a busy purgatory are from
 * slightly different moments.
 *
 * @param retained the number of entries of ended requests that are not removed yet
 * @param oldest how long the oldest request has been held; null if none is
 * @param busiest the number of held requests of the keys that have most, the busiest key first. A
 *     request that is held on a {@link KeyGroup} is counted for each of its keys
 * @param <K> the type of the keys
 */
public record PurgatorySnapshot<K>(
    long retained, @Nullable Duration oldest, Map<K, Integer> busiest) {}

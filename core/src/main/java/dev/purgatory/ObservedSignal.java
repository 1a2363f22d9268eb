package dev.purgatory;

/**
 * A signal that has returned: see {@link Diagnostics#sampleSignals}.
 *
 * @param key its key
 * @param foundKey whether the purgatory knew the key: requests waited on it, or had just ended
 * @param completed how many requests it completed
 */
public record ObservedSignal(Object key, boolean foundKey, int completed) {}

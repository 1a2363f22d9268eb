package dev.purgatory.cluster.load;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts errors that clients could not recover from. Thread-safe. */
final class ClientErrors {
  private long count;
  private @Nullable Exception first;

  synchronized void add(Exception error) {
    count++;
    if (first == null) {
      first = error;
    }
  }

  synchronized long count() {
    return count;
  }

  synchronized Optional<String> first() {
    return Optional.ofNullable(first).map(Exception::toString);
  }
}

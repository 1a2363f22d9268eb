package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Members wait for each other, until the deadline of their round. */
final class Barrier {
  private final Purgatory<String> rounds;
  private final int members;
  private final Duration limit;

  Barrier(Purgatory<String> rounds, int members, Duration limit) {
    this.rounds = rounds;
    this.members = members;
    this.limit = limit;
  }

  // sample: barrier
  private final Map<String, Round> open = new ConcurrentHashMap<>();

  /** Completes when all members have come, or at the deadline, with the members so far. */
  CompletableFuture<Set<String>> join(String name, String member) {
    Round round = open.computeIfAbsent(name, key -> new Round(key));
    if (!round.add(member)) { // the round has just ended: join the next one
      open.remove(name, round);
      return join(name, member);
    }
    rounds.signal(name);
    return round.end.whenComplete((all, error) -> open.remove(name, round));
  }

  /** One request for all members: the limit begins with the first one. */
  private final class Round {
    private final Set<String> arrived = new HashSet<>();
    private boolean ended;
    final HeldFuture<Set<String>> end;

    Round(String name) {
      end = rounds.until(this::full).orAfter(limit, this::end).hold(name);
    }

    synchronized boolean add(String member) {
      if (ended || arrived.size() == members) {
        return false;
      }
      arrived.add(member);
      return true;
    }

    private synchronized @Nullable Set<String> full() {
      return arrived.size() == members ? end() : null;
    }

    private synchronized Set<String> end() {
      ended = true;
      return Set.copyOf(arrived);
    }
  }
  // end
}

package dev.purgatory.benchmarks.answers;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients were told about the answer of each id, and what contradicts the promise: each id has
 * one answer, which everybody learns. Thread-safe.
 */
final class AnswerLedger {
  private static final int MOST_LINES = 20;

  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<Violation, Integer> violations = new EnumMap<>(Violation.class);
  private final List<String> findings = new ArrayList<>();

  /** The ways to break the promise. */
  enum Violation {
    TWO_ANSWERS("clients were told different answers"),
    TWO_WINNERS("more than one client was told that its answer won"),
    NEVER_LEARNED("a client awaited the id until the end and did not learn the answer"),
    NEVER_DECIDED("a client gave its answer until the end and got no reply"),
    FORGED("an instance accepted an id that nobody had issued"),
    UNNOTICED("an instance made ids although the topic was compacted"),
    NOT_IN_THE_LOG("clients were told an answer that is not in the topic"),
    NOT_THE_FIRST("clients were told an answer that is not the first one in the topic");

    private final String text;

    Violation(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static final class Entry {
    final String answer;
    boolean won;

    Entry(String answer) {
      this.answer = answer;
    }
  }

  /** Notes that a client was told an answer, as one that awaited it or whose own answer lost. */
  synchronized void learned(String id, String answer) {
    Entry unused = entry(id, answer);
  }

  /** Notes that a client was told that its answer won. */
  synchronized void won(String id, String answer) {
    Entry entry = entry(id, answer);
    if (entry.won) {
      add(Violation.TWO_WINNERS, id, answer);
    }
    entry.won = true;
  }

  private Entry entry(String id, String answer) {
    Entry entry = entries.computeIfAbsent(id, first -> new Entry(answer));
    if (!entry.answer.equals(answer)) {
      add(Violation.TWO_ANSWERS, id, entry.answer + " and " + answer);
    }
    return entry;
  }

  /** Compares what clients were told with the first record of each id. */
  synchronized void compare(Map<String, String> firstRecords) {
    entries.forEach(
        (id, entry) -> {
          String first = firstRecords.get(id);
          if (first == null) {
            add(Violation.NOT_IN_THE_LOG, id, entry.answer);
          } else if (!first.equals(entry.answer)) {
            add(Violation.NOT_THE_FIRST, id, entry.answer + " and not " + first);
          }
        });
  }

  /** Adds a violation. */
  synchronized void add(Violation violation, String id, String details) {
    int count = violations.merge(violation, 1, Integer::sum);
    if (count <= MOST_LINES) {
      findings.add("id " + id + ": " + violation + ": " + details);
    }
  }

  /** Returns the number of ids whose answer somebody was told. */
  synchronized int answered() {
    return entries.size();
  }

  /** Returns how often each way to break the promise was found. */
  synchronized Map<Violation, Integer> violations() {
    return new EnumMap<>(violations);
  }

  /** Returns lines about the first violations of each kind. */
  synchronized List<String> findings() {
    return List.copyOf(findings);
  }
}

package dev.purgatory.checker;

import static dev.purgatory.checker.Finding.requireReturned;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** The steps of a {@link RequestRun} that signal keys, or end what is held on them. */
final class RequestSignals {
  private final RequestModel model;
  private final List<RequestPlace> places;

  RequestSignals(RequestModel model, List<RequestPlace> places) {
    this.model = model;
    this.places = places;
  }

  /** Performs a step on a purgatory. */
  void perform(RequestStep step, int at) {
    switch (step.what()) {
      case ADVANCE, REMOVE_NUMBER -> changeNumber(step, at);
      case MARK, RUN_QUEUE -> queue(step, at);
      case MARK_LATER, RUN_TASKS -> queueForLater(step, at);
      default -> signal(step, at);
    }
  }

  private void changeNumber(RequestStep step, int at) {
    Thresholds<Integer> thresholds = places.get(at).thresholds;
    if (step.what() == RequestStep.What.ADVANCE) {
      int expected = model.advance(at, step.key(), step.amount());
      requireReturned(thresholds.advance(step.key(), step.amount()), expected, step);
    } else {
      model.spaces.get(at).numbers.remove(step.key());
      thresholds.remove(step.key());
    }
  }

  private void queue(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    if (step.what() == RequestStep.What.MARK) {
      requireReturned(place.queue.mark(step.key()), place.marked.add(step.key()), step);
    } else {
      int expected = signalAll(place.marked, at);
      requireReturned(place.queue.run(), expected, step);
    }
    requireReturned(place.queue.marked(), place.marked.size(), step);
  }

  private void queueForLater(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    if (step.what() == RequestStep.What.MARK_LATER) {
      requireReturned(place.later.mark(step.key()), place.markedForLater.add(step.key()), step);
    } else {
      int unused = signalAll(place.markedForLater, at);
      List.copyOf(place.tasks).forEach(Runnable::run);
      place.tasks.clear();
    }
    requireReturned(place.later.marked(), place.markedForLater.size(), step);
    requireReturned(place.tasks.size(), place.markedForLater.isEmpty() ? 0 : 1, step);
  }

  private int signalAll(Set<Integer> keys, int at) {
    int completed = keys.stream().mapToInt(key -> model.signal(at, key, -1, 1 << 20)).sum();
    keys.clear();
    return completed;
  }

  private void signal(RequestStep step, int at) {
    int key = step.key();
    int amount = (int) step.amount();
    Purgatory<Integer> purgatory = places.get(at).purgatory;
    List<Request> reached = model.spaces.get(at).on(key);
    switch (step.what()) {
      case SIGNAL -> {
        int expected = model.signal(at, key, -1, 1 << 20);
        requireReturned(purgatory.signal(key), expected, step);
      }
      case SIGNAL_WITH_REASON -> {
        int expected = model.signal(at, key, amount, 1 << 20);
        requireReturned(purgatory.signal(key, (long) amount), expected, step);
      }
      case SIGNAL_AT_MOST -> {
        int most = 1 + amount % 2;
        int expected = model.signal(at, key, -1, most);
        requireReturned(purgatory.signalAtMost(key, most), expected, step);
      }
      case COMPLETE_FOR_KEY ->
          requireReturned(
              purgatory.completeForKey(key, -2),
              model.endAll(reached, Outcome.COMPLETED, -2),
              step);
      case FAIL_FOR_KEY -> {
        Throwable cause = new IllegalStateException("provoked");
        requireReturned(
            purgatory.failForKey(key, cause), model.endAll(reached, Outcome.FAILED, cause), step);
      }
      default ->
          requireReturned(
              purgatory.cancelForKey(key).size(),
              model.endAll(reached, Outcome.CANCELLED, CancellationException.class),
              step);
    }
  }
}

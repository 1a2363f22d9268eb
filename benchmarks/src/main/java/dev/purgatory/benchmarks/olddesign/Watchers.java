package dev.purgatory.benchmarks.olddesign;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;

/** The requests on one key, including satisfied ones. */
final class Watchers {
  @SuppressWarnings("JdkObsolete") // As in Kafka 0.8.
  private final List<OldRequest> requests = new LinkedList<>();

  synchronized int size() {
    return requests.size();
  }

  /**
   * Adds a request.
   *
   * @return false if the request was already satisfied or can be answered now
   */
  synchronized boolean checkAndMaybeAdd(OldRequest request) {
    if (request.isSatisfied()) {
      return false;
    }
    if (request.check()) {
      request.satisfy();
      return false;
    }
    requests.add(request);
    return true;
  }

  /**
   * Removes the requests that are satisfied or can be answered now.
   *
   * @return the requests that this call claimed and that the caller must answer
   */
  synchronized List<OldRequest> collectSatisfied() {
    List<OldRequest> collected = new ArrayList<>();
    for (Iterator<OldRequest> each = requests.iterator(); each.hasNext(); ) {
      OldRequest request = each.next();
      if (request.isSatisfied()) {
        each.remove();
      } else if (request.check()) {
        each.remove();
        if (request.claim()) {
          collected.add(request);
        }
      }
    }
    return collected;
  }

  /** Removes the requests that are satisfied. */
  synchronized void purgeSatisfied() {
    requests.removeIf(OldRequest::isSatisfied);
  }
}

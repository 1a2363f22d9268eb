package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.watch.HiddenKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a request is held, besides its keys and its time limit: a list in the order of
 * their ranks, and a tag. Immutable.
 */
final class Terms implements Term {

  /* Terms can be added for each request. So a step makes one short array, and uses no stream. */

  private static final Term[] NO_TERMS = {};

  private final @Nullable Diagnostics diagnostics;
  private final Term[] sorted;
  private final @Nullable Object tag;

  private Terms(@Nullable Diagnostics diagnostics, Term[] sorted, @Nullable Object tag) {
    this.diagnostics = diagnostics;
    this.sorted = sorted;
    this.tag = tag;
  }

  /**
   * Returns the terms of every request of a purgatory, without its limits.
   *
   * @param diagnostics observes each request; null for none
   */
  static Terms of(@Nullable Diagnostics diagnostics) {
    return new Terms(diagnostics, NO_TERMS, null);
  }

  /** Adds a term, or merges it with one of these. */
  Terms and(Term term) {
    int at = 0;
    for (; at < sorted.length && sorted[at].rank().compareTo(term.rank()) <= 0; at++) {
      Term merged = sorted[at].merged(term);
      if (merged != null) {
        Term[] changed = sorted.clone();
        changed[at] = merged;
        return new Terms(diagnostics, changed, tag);
      }
    }
    Term[] more = Arrays.copyOf(sorted, sorted.length + 1);
    System.arraycopy(sorted, at, more, at + 1, sorted.length - at);
    more[at] = term;
    return new Terms(diagnostics, more, tag);
  }

  /** Adds scopes with their limits: the request ends with them. */
  Terms in(Scope... scopes) {
    Terms all = this;
    for (Scope each : requireNonNull(scopes, "scopes")) {
      all = all.and(requireNonNull(each, "scope").owner());
      Term limits = each.places();
      all = limits == null ? all : all.and(limits);
    }
    return all;
  }

  Terms tagged(Object newTag) {
    return new Terms(diagnostics, sorted, newTag);
  }

  @Nullable Object tag() {
    return tag;
  }

  /** Returns the keys of a request, followed by the hidden ones of its terms. */
  <K> Collection<? extends K> keys(Collection<? extends K> keys) {
    List<K> all = null;
    for (Term each : sorted) {
      HiddenKey key = each.hiddenKey();
      if (key != null) {
        all = all == null ? new ArrayList<>(keys) : all;
        all.add(key.asKey());
      }
    }
    return all == null ? keys : all;
  }

  /**
   * Returns the terms of a request on these keys, a key group being one {@link HiddenKey}: with
   * diagnostics, its evaluations are traced.
   */
  Term ofRequest(Collection<?> keys) {
    if (diagnostics != null) {
      return and(new Trace(diagnostics, List.copyOf(keys), Arrays.asList(sorted)));
    }
    return sorted.length == 0 ? NONE : this;
  }

  /** Whether the request waits for events that are not keys. */
  boolean hasEvents() {
    for (Term each : sorted) {
      if (each.event() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void admit(Registration registration, Core<?> core) {
    for (Term each : sorted) {
      each.admit(registration, core);
    }
  }

  /** Stops at the first one that ends the operation. */
  @Override
  public void begin(Registration registration, Core<?> core) {
    for (Term each : sorted) {
      each.begin(registration, core);
      if (registration.isEnded()) {
        return;
      }
    }
  }

  @Override
  public void confirm(Registration registration) {
    for (Term each : sorted) {
      each.confirm(registration);
    }
  }
}

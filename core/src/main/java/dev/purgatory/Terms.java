package dev.purgatory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The terms on which a request is held, besides its keys and its time limit. Immutable. */
final class Terms {

  /*
   * The order is: diagnostics, scopes, limits, others. Diagnostics see each evaluation. A closed scope must end
   * the request before it takes a place under a limit, which may evict another request. A request that is
   * refused must not register at a threshold.
   */

  private final @Nullable Diagnostics diagnostics;
  private final List<Scope> scopes;

  /** Each limit once: the purgatory and the scopes may share some. */
  private final Set<Limit> limits;

  /** Negative: ask the operation for its weight. */
  private final long weight;

  private final List<Core.Term> others;
  private final @Nullable Object tag;

  /** All that is the same for each request with these terms. */
  private final Core.Term all;

  private Terms(
      @Nullable Diagnostics diagnostics,
      List<Scope> scopes,
      Set<Limit> limits,
      long weight,
      List<Core.Term> others,
      @Nullable Object tag) {
    this.diagnostics = diagnostics;
    this.scopes = scopes;
    this.limits = limits;
    this.weight = weight;
    this.others = others;
    this.tag = tag;
    all = inOrder();
  }

  /** Called for each request in a scope: so it uses no stream and no list that grows. */
  private Core.Term inOrder() {
    int limiting = limits.isEmpty() ? 0 : 1;
    int count = scopes.size() + limiting + others.size();
    if (count == 0) {
      return Core.Term.NONE;
    }
    if (count == 1 && !scopes.isEmpty()) {
      return scopes.get(0).term();
    }
    Core.Term[] inOrder = new Core.Term[count];
    int at = 0;
    for (Scope scope : scopes) {
      inOrder[at++] = scope.term();
    }
    if (limiting > 0) {
      inOrder[at++] = Limit.term(limits, weight);
    }
    for (Core.Term other : others) {
      inOrder[at++] = other;
    }
    return new Several(inOrder);
  }

  /** Returns the terms of every request of a purgatory. */
  static Terms of(Collection<Limit> limits, @Nullable Diagnostics diagnostics) {
    return new Terms(diagnostics, List.of(), new LinkedHashSet<>(limits), -1, List.of(), null);
  }

  /** Adds scopes: the request ends with them. */
  Terms in(List<Scope> more) {
    if (more.isEmpty()) {
      return this;
    }
    Set<Limit> allLimits = limits;
    for (Scope each : more) {
      allLimits = joined(allLimits, each.limits());
    }
    List<Scope> allScopes = scopes.isEmpty() ? more : joined(scopes, more);
    return new Terms(diagnostics, allScopes, allLimits, weight, others, tag);
  }

  private static Set<Limit> joined(Set<Limit> some, List<Limit> more) {
    if (more.isEmpty()) {
      return some;
    }
    Set<Limit> all = new LinkedHashSet<>(some);
    all.addAll(more);
    return all;
  }

  /** Adds a term. */
  Terms and(Core.Term other) {
    List<Core.Term> more = joined(others, List.of(other));
    return new Terms(diagnostics, scopes, limits, weight, more, tag);
  }

  /** Adds a term, in place of one of the same class. */
  Terms with(Core.Term other) {
    List<Core.Term> rest =
        others.stream().filter(each -> each.getClass() != other.getClass()).toList();
    List<Core.Term> more = joined(rest, List.of(other));
    return new Terms(diagnostics, scopes, limits, weight, more, tag);
  }

  Terms weighing(long newWeight) {
    return new Terms(diagnostics, scopes, limits, newWeight, others, tag);
  }

  Terms tagged(Object newTag) {
    return new Terms(diagnostics, scopes, limits, weight, others, newTag);
  }

  private static <E> List<E> joined(List<? extends E> some, List<? extends E> more) {
    if (some.isEmpty()) {
      return List.copyOf(more);
    }
    List<E> all = new ArrayList<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }

  /** Returns the keys of a request, followed by the hidden ones of its scopes. */
  <K> Collection<? extends K> keys(Collection<? extends K> keys) {
    if (scopes.isEmpty()) {
      return keys;
    }
    if (keys.size() == 1 && scopes.size() == 1) { // most requests in scopes: a small list
      return List.of(keys.iterator().next(), scopes.get(0).key().<K>asKey());
    }
    List<K> more = new ArrayList<>(keys);
    scopes.forEach(each -> more.add(each.key().asKey()));
    return more;
  }

  /**
   * Returns the terms of one request.
   *
   * @param keys its keys
   * @param own a term of its condition; null if there is none
   */
  Core.Term ofRequest(Collection<?> keys, Core.@Nullable Term own) {
    if (own != null) {
      return all == Core.Term.NONE && diagnostics == null ? own : and(own).ofRequest(keys, null);
    }
    return diagnostics == null
        ? all
        : new Several(new Trace(diagnostics, List.copyOf(keys), others), all);
  }

  /** Whether the request waits for events that are not keys. */
  boolean hasEvents() {
    for (int i = 0; i < others.size(); i++) { // no stream: that costs more than the look
      if (others.get(i).event() != null) {
        return true;
      }
    }
    return false;
  }

  /** Whether nothing is said. */
  boolean areNone() {
    return diagnostics == null && tag == null && all == Core.Term.NONE;
  }

  @Nullable Object tag() {
    return tag;
  }

  Set<Limit> limits() {
    return limits;
  }

  @Nullable Diagnostics diagnostics() {
    return diagnostics;
  }

  /** Several terms, in order. */
  private static final class Several implements Core.Term {
    private final Core.Term[] terms;

    Several(Core.Term... terms) {
      this.terms = terms;
    }

    @Override
    public void admit(Registration registration, Core<?> core) {
      for (Core.Term each : terms) {
        each.admit(registration, core);
      }
    }

    /** Stops at the first one that ends the operation. */
    @Override
    public void begin(Registration registration, Core<?> core) {
      for (Core.Term each : terms) {
        each.begin(registration, core);
        if (registration.isEnded()) {
          return;
        }
      }
    }

    @Override
    public void confirm(Registration registration) {
      for (Core.Term each : terms) {
        each.confirm(registration);
      }
    }
  }
}

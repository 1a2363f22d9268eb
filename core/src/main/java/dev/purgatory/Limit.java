package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests are held at once, and how much they weigh together. A limit belongs to a
 * purgatory, {@link PurgatoryBuilder#limit}, or to an owner, {@link Scope#of}; several of them can
 * share it. A request that is answered at once is not counted. Thread-safe.
 *
 * <pre>{@code
 * Limit perClient = Limit.builder("client 7").requests(100).weight(10_000_000).build();
 * Scope client = Scope.of("client 7", perClient);
 * }</pre>
 *
 * <p>A request over the limit is refused with a {@link LimitExceededException}, or takes the place
 * of the oldest ones: see {@link Builder#evictOldest}. A request under several limits takes its
 * places under all of them or none: it evicts nobody if one of them refuses it. A request with a
 * time limit of zero does not wait, and takes no place.
 */
public final class Limit {

  /*
   * The places of the held requests form rings, oldest first, so that each leaves in O(1): one ring of places
   * with a weight, and one of places without, which need not go when only weight is missing. The
   * monitor guards the rings and the sums; it is held for a few steps, and never while other code runs.
   *
   * A request takes its places under all its limits, or under none. First it takes those under limits that
   * refuse, and asks the limits that evict whether it fits at all. No limit can refuse it from then on, so
   * nobody is evicted for a request that is refused.
   *
   * Evicted requests give their places up under the monitor, and are then failed without it. So the sums are
   * never above the limit, and the requests exceed it only while a call that evicts some is failing them.
   * Until they have failed, they are in a ring of their own, from which each call that evicts fails all. If a
   * call stops, as memory or stack is exhausted, its own request gets no place, and requests that it has not
   * failed take theirs again; if others have taken these, the next call fails them.
   *
   * `move` is the only method that changes rings and sums, and it calls nothing: an exhausted stack stops it
   * before it begins, or not at all.
   */

  private final String name;
  private final long mostRequests;
  private final long mostWeight;
  private final boolean evicts;
  private final Place weighty = new Place(this, null, 0);
  private final Place weightless = new Place(this, null, 0);
  private final Place evicted = new Place(this, null, 0);
  private long requests;
  private long weight;
  private long taken;

  private Limit(Builder builder) {
    name = builder.name;
    mostRequests = builder.mostRequests;
    mostWeight = builder.mostWeight;
    evicts = builder.evicts;
  }

  /**
   * Returns a builder of limits, which bounds nothing yet.
   *
   * @param name appears in messages
   * @return a new builder
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /**
   * The place that a held request takes, or the head of a ring. Linked to itself while it is in no
   * ring. Guarded by the monitor of the limit.
   */
  private static final class Place extends Attachment {
    private final Limit limit;
    private final @Nullable Registration registration;
    private final long weight;
    private Place older = this;
    private Place younger = this;
    private long number;
    private int counted;

    Place(Limit limit, @Nullable Registration registration, long weight) {
      this.limit = limit;
      this.registration = registration;
      this.weight = weight;
    }

    @Override
    void end() {
      limit.release(this);
    }
  }

  /**
   * The term of a request under limits, each of them once.
   *
   * @param limits are asked in this order
   * @param weight the weight of the request; negative: the operation is asked for it
   */
  private record Places(List<Limit> limits, long weight) implements Term {
    @Override
    public Rank rank() {
      return Rank.LIMIT;
    }

    /** Joins the limits, and takes the weight that was said last. */
    @Override
    public @Nullable Term merged(Term later) {
      if (!(later instanceof Places more)) {
        return null;
      }
      List<Limit> all = new ArrayList<>(limits);
      for (Limit each : more.limits) {
        if (!limits.contains(each)) {
          all.add(each);
        }
      }
      return new Places(all, more.weight < 0 ? weight : more.weight);
    }

    @Override
    public void begin(Registration registration, Core<?> core) {
      take(limits, registration, weight < 0 ? registration.weight() : weight);
    }
  }

  /** Returns the term of a request under limits. */
  static Term places(Collection<Limit> limits) {
    return new Places(List.copyOf(new LinkedHashSet<>(limits)), -1);
  }

  /** Returns a term that says the weight of a request, 0 or more. */
  static Term weighing(long weight) {
    return new Places(List.of(), weight);
  }

  /**
   * Takes a place under each of the limits, or under none, for a request that is about to be held.
   *
   * @throws LimitExceededException if one of them has no room
   */
  private static void take(Collection<Limit> limits, Registration registration, long weight) {
    if (weight < 0) {
      throw new IllegalArgumentException("weight " + weight + " is negative");
    }
    Place[] places = new Place[limits.size()];
    int count = 0;
    try {
      for (Limit limit : limits) {
        Place place = new Place(limit, registration, weight);
        places[count++] = place;
        registration.attach(place); // first: from now on its end gives the place back
        limit.reserve(place, registration);
      }
      for (Place place : places) {
        if (place.limit.evicts) {
          place.limit.evictFor(place, registration);
        }
      }
    } catch (Throwable e) {
      for (int i = 0; i < count; i++) {
        places[i].end();
      }
      throw e;
    }
  }

  /** Takes the place, or finds that evicting others makes room for it. */
  private void reserve(Place place, Registration registration) {
    boolean agreed;
    synchronized (evicted) {
      agreed = evicts ? place.weight <= mostWeight : fits(place);
      if (agreed && !evicts) {
        enter(place, registration);
      }
    }
    if (!agreed) {
      throw new LimitExceededException(
          name, this + ": no room for a request of weight " + place.weight);
    }
  }

  private void evictFor(Place place, Registration registration) {
    try {
      synchronized (evicted) {
        while (!registration.isEnded() && !fits(place)) {
          move(oldestFor(place), evicted, 0);
        }
        enter(place, registration);
      }
      failEvicted();
    } catch (Throwable e) {
      restoreEvicted(place);
      throw e;
    }
  }

  private boolean fits(Place place) {
    return requests < mostRequests && hasRoomForWeightOf(place);
  }

  private boolean hasRoomForWeightOf(Place place) {
    return place.weight <= mostWeight - weight;
  }

  /** Returns the oldest place whose request makes room for this one. */
  private Place oldestFor(Place place) {
    Place light = weightless.younger;
    Place heavy = weighty.younger;
    if (light == weightless || !hasRoomForWeightOf(place)) {
      return heavy;
    }
    return heavy == weighty || light.number < heavy.number ? light : heavy;
  }

  private void enter(Place place, Registration registration) {
    if (!registration.isEnded()) { // else its end, which may have come, does not find it in a ring
      place.number = ++taken;
      move(place, ringOf(place), 1);
    }
  }

  private Place ringOf(Place place) {
    return place.weight == 0 ? weightless : weighty;
  }

  /**
   * Moves a place before another one, or out of its ring if that is itself, and counts it 0 or 1.
   */
  private void move(Place place, Place next, int counted) {
    place.older.younger = place.younger;
    place.younger.older = place.older;
    place.older = place;
    place.younger = place;
    Place before = next.older;
    place.older = before;
    place.younger = next;
    before.younger = place;
    next.older = place;
    requests += counted - place.counted;
    weight += (counted - place.counted) * place.weight;
    place.counted = counted;
  }

  private void failEvicted() {
    for (Registration each = nextEvicted(); each != null; each = nextEvicted()) {
      try {
        each.end(
            Outcome.FAILED,
            new LimitExceededException(name, this + ": evicted by a newer request"));
      } catch (OutOfMemoryError e) {
        each.end(Outcome.CANCELLED, null); // needs no memory
      }
    }
  }

  /** Returns an evicted request that has not ended, or null. */
  private @Nullable Registration nextEvicted() {
    synchronized (evicted) {
      Place oldest = evicted.younger;
      while (oldest.registration != null && oldest.registration.isEnded()) {
        move(oldest, oldest, 0);
        oldest = evicted.younger;
      }
      return oldest.registration;
    }
  }

  /** Ends the place, and gives evicted requests, the youngest first, the room that there is. */
  private void restoreEvicted(Place place) {
    synchronized (evicted) {
      release(place);
      Place youngest = evicted.older;
      while (youngest != evicted && fits(youngest)) {
        move(youngest, ringOf(youngest).younger, 1);
        youngest = evicted.older;
      }
    }
  }

  private void release(Place place) {
    synchronized (evicted) {
      move(place, place, 0);
    }
  }

  /**
   * Returns the name that the builder was given.
   *
   * @return the name, which another limit may have too
   */
  public String name() {
    return name;
  }

  /**
   * Returns how many requests may be held at once.
   *
   * @return 1 or more; {@code Long.MAX_VALUE} if their number is not bounded
   */
  public long mostRequests() {
    return mostRequests;
  }

  /**
   * Returns the total weight that held requests may have.
   *
   * @return 1 or more; {@code Long.MAX_VALUE} if it is not bounded
   */
  public long mostWeight() {
    return mostWeight;
  }

  /**
   * Returns how many requests are held under this limit.
   *
   * @return 0 or more, exact
   */
  public long requests() {
    synchronized (evicted) {
      return requests;
    }
  }

  /**
   * Returns the total weight of the requests that are held under this limit.
   *
   * @return 0 or more, exact
   */
  public long weight() {
    synchronized (evicted) {
      return weight;
    }
  }

  /** Describes the limit for logs: its name and its use. */
  @Override
  public String toString() {
    return "Limit["
        + ForeignText.of(name)
        + used(", requests ", requests(), mostRequests)
        + used(", weight ", weight(), mostWeight)
        + ']';
  }

  private static String used(String label, long used, long most) {
    return label + used + (most == Long.MAX_VALUE ? "" : " of " + most);
  }

  /** Sets up a {@link Limit}. */
  public static final class Builder {
    private final String name;
    private long mostRequests = Long.MAX_VALUE;
    private long mostWeight = Long.MAX_VALUE;
    private boolean evicts;
    private boolean bounded;

    private Builder(String name) {
      this.name = requireNonNull(name, "name");
    }

    /**
     * Sets how many requests may be held at once.
     *
     * @param most 1 or more
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public Builder requests(long most) {
      mostRequests = bounded(most);
      return this;
    }

    /**
     * Sets the total weight that held requests may have, for instance in bytes: see {@link
     * Hold.Untimed#weight}, {@link DelayedOperation#weight}. A request whose weight is not set
     * weighs 1.
     *
     * @param most 1 or more
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public Builder weight(long most) {
      mostWeight = bounded(most);
      return this;
    }

    /**
     * Makes a request over the limit take the place of the oldest ones, which fail with a {@link
     * LimitExceededException}. No more go than needed, and none of weight 0 if only weight is
     * missing. Without this, the new request is refused.
     *
     * @return this builder
     */
    public Builder evictOldest() {
      evicts = true;
      return this;
    }

    private long bounded(long most) {
      if (most < 1) {
        throw new IllegalArgumentException("limit " + most + " is not positive");
      }
      bounded = true;
      return most;
    }

    /**
     * Creates the limit.
     *
     * @return a new limit, of which nothing is used
     * @throws IllegalStateException if neither {@link #requests} nor {@link #weight} was called
     */
    public Limit build() {
      if (!bounded) {
        throw new IllegalStateException(
            "limit " + ForeignText.of(name) + " bounds nothing: set requests or weight");
      }
      return new Limit(this);
    }
  }
}

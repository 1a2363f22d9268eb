package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
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
 * of the oldest ones: see {@link Builder#evictOldest}.
 */
public final class Limit {

  /*
   * The places of the held requests form a ring, oldest first, so that each leaves in O(1). The monitor
   * guards the ring and the sums; it is held for a few steps, and never while other code runs. Evicted
   * requests give their places up under the monitor, and are then failed without it. So the sums are never
   * above the limit, and the requests exceed it only while a call that evicts some is failing them.
   */

  private final String name;
  private final long mostRequests;
  private final long mostWeight;
  private final boolean evicts;
  private final Place ring = new Place(this, null, 0);
  private long requests;
  private long weight;

  private Limit(Builder builder) {
    name = builder.name;
    mostRequests = builder.mostRequests;
    mostWeight = builder.mostWeight;
    evicts = builder.evicts;
    ring.older = ring;
    ring.younger = ring;
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

  /** The place that a held request takes. Guarded by the monitor of the limit. */
  private static final class Place extends Attachment {
    private final Limit limit;
    private final @Nullable Registration registration;
    private final long weight;
    private @Nullable Place older;
    private @Nullable Place younger;

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
   * Takes a place for a request that is about to be held.
   *
   * @throws LimitExceededException if there is no room
   */
  void take(Registration registration, long itsWeight) {
    if (itsWeight < 0) {
      throw new IllegalArgumentException("weight " + itsWeight + " is negative");
    }
    Place place = new Place(this, registration, itsWeight);
    List<Registration> evicted = new ArrayList<>(0);
    synchronized (ring) {
      while (!fits(itsWeight)) {
        evicted.add(evictOldestFor(itsWeight));
      }
      append(place);
    }
    registration.attach(place);
    for (Registration each : evicted) {
      boolean unused =
          each.fail(new LimitExceededException(name, this + ": evicted by a newer request"));
    }
  }

  private boolean fits(long added) {
    return requests < mostRequests && added <= mostWeight - weight;
  }

  private Registration evictOldestFor(long added) {
    Place oldest = requireNonNull(ring.younger);
    if (!evicts || oldest.registration == null || added > mostWeight) {
      throw new LimitExceededException(name, this + ": no room for a request of weight " + added);
    }
    remove(oldest);
    return oldest.registration;
  }

  private void append(Place place) {
    Place newest = requireNonNull(ring.older);
    place.older = newest;
    place.younger = ring;
    newest.younger = place;
    ring.older = place;
    requests++;
    weight += place.weight;
  }

  private void release(Place place) {
    synchronized (ring) {
      if (place.older != null) { // else it was released or evicted before
        remove(place);
      }
    }
  }

  private void remove(Place place) {
    requireNonNull(place.older).younger = place.younger;
    requireNonNull(place.younger).older = place.older;
    place.older = null;
    place.younger = null;
    requests--;
    weight -= place.weight;
  }

  /**
   * Returns the name.
   *
   * @return the name that the builder was given
   */
  public String name() {
    return name;
  }

  /**
   * Returns how many requests are held under this limit.
   *
   * @return 0 or more, exact
   */
  public long requests() {
    synchronized (ring) {
      return requests;
    }
  }

  /**
   * Returns the total weight of the requests that are held under this limit.
   *
   * @return 0 or more, exact
   */
  public long weight() {
    synchronized (ring) {
      return weight;
    }
  }

  /** Describes the limit for logs: its name, and what is used of it. */
  @Override
  public String toString() {
    return "Limit["
        + name
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
      mostRequests = requirePositive(most);
      return this;
    }

    /**
     * Sets the total weight that held requests may have, for instance in bytes: see {@link
     * Hold#weight}, {@link DelayedOperation#weight}. A request without a weight counts as 1.
     *
     * @param most 1 or more
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public Builder weight(long most) {
      mostWeight = requirePositive(most);
      return this;
    }

    /**
     * Makes a request over the limit take the place of the oldest ones, which fail with a {@link
     * LimitExceededException}. Without this, the new request is refused.
     *
     * @return this builder
     */
    public Builder evictOldest() {
      evicts = true;
      return this;
    }

    private static long requirePositive(long most) {
      if (most < 1) {
        throw new IllegalArgumentException("limit " + most + " is not positive");
      }
      return most;
    }

    /**
     * Creates the limit.
     *
     * @return a new limit, of which nothing is used
     */
    public Limit build() {
      return new Limit(this);
    }
  }
}

package dev.purgatory.spring;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter. A property that does not exist fails the start: it is a typing
 * error.
 *
 * @param tick How late a time limit may fire, at most.
 * @param closeTimeout How long closing the context waits, at most, until all purgatories have
 *     answered what they hold.
 * @param instances The purgatories, by the name of their bean.
 * @param console The page that purgatory-console serves, if it is on the class path.
 */
@ConfigurationProperties(prefix = PurgatoryProperties.PREFIX, ignoreUnknownFields = false)
record PurgatoryProperties(
    @DefaultValue("1ms") Duration tick,
    @DefaultValue("5s") Duration closeTimeout,
    @DefaultValue Map<String, Instance> instances,
    @DefaultValue Console console) {

  static final String PREFIX = "purgatory";

  PurgatoryProperties {
    requirePositive("tick", tick);
    if (closeTimeout.isNegative()) {
      throw new IllegalArgumentException("close-timeout " + closeTimeout + " is negative");
    }
  }

  /**
   * The properties of one purgatory.
   *
   * @param maxRequests How many requests may be held at once. Without it, there is no limit.
   * @param maxWeight How much the held requests may weigh together. Without it, there is no limit.
   * @param evictOldest Whether a request over a limit takes the place of the oldest ones, instead
   *     of being refused.
   * @param unhealthyAfter The health is DOWN while a request has been held for longer than this.
   *     Without it, the health is always UP.
   * @param diagnostics Whether to count checks and missed signals, in a bean whose name ends in
   *     "Diagnostics".
   * @param observations Whether each held request is an observation, and so a part of its trace.
   */
  record Instance(
      @Nullable Long maxRequests,
      @Nullable Long maxWeight,
      boolean evictOldest,
      @Nullable Duration unhealthyAfter,
      boolean diagnostics,
      boolean observations) {

    Instance {
      requirePositive("max-requests", maxRequests);
      requirePositive("max-weight", maxWeight);
      requirePositive("unhealthy-after", unhealthyAfter);
      if (evictOldest && maxRequests == null && maxWeight == null) {
        throw new IllegalArgumentException("evict-oldest needs max-requests or max-weight");
      }
    }

    boolean hasLimit() {
      return maxRequests != null || maxWeight != null;
    }
  }

  /**
   * The properties of the console.
   *
   * @param enabled Whether to serve the page.
   * @param port The port; with 0, one that is free.
   * @param host The address at which browsers reach the page. Without it, only programs on this
   *     machine do. If it is not a loopback address, the page needs the token that is in the logged
   *     address.
   * @param showKeys Whether to show keys and requests.
   */
  record Console(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("0") int port,
      @Nullable InetAddress host,
      boolean showKeys) {}

  private static void requirePositive(String property, @Nullable Long value) {
    if (value != null && value < 1) {
      throw new IllegalArgumentException(property + " " + value + " is not positive");
    }
  }

  private static void requirePositive(String property, @Nullable Duration value) {
    if (value != null && (value.isNegative() || value.isZero())) {
      throw new IllegalArgumentException(property + " " + value + " is not positive");
    }
  }
}

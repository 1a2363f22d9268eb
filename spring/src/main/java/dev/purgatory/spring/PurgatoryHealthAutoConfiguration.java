package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.spring.PurgatoryProperties.Instance;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Adds all purgatories to the health of the application: how many requests each holds, and for how
 * long the oldest one has been held. One that is held for longer than {@code unhealthy-after} makes
 * the health {@code DOWN}.
 */
@AutoConfiguration(
    after = PurgatoryAutoConfiguration.class,
    beforeName =
        "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass(HealthContributor.class)
@ConditionalOnBean(Purgatory.class)
@ConditionalOnEnabledHealthIndicator("purgatory")
public final class PurgatoryHealthAutoConfiguration {

  /** Creates the configuration. */
  public PurgatoryHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "purgatoryHealthContributor")
  CompositeHealthContributor purgatoryHealthContributor(
      Map<String, Purgatory<?>> purgatories, PurgatoryProperties properties) {
    Map<String, HealthIndicator> indicators = new LinkedHashMap<>();
    purgatories.forEach(
        (name, purgatory) -> {
          Instance instance = properties.instances().get(name);
          Duration most = instance == null ? null : instance.unhealthyAfter();
          OldestRequest oldest = new OldestRequest(purgatory, System::nanoTime);
          indicators.put(contributor(name), () -> health(purgatory.pending(), oldest.age(), most));
        });
    return CompositeHealthContributor.fromMap(indicators);
  }

  /** Replaces slashes, which a contributor must not have. */
  private static String contributor(String name) {
    return name.replace("%", "%25").replace("/", "%2F");
  }

  private static Health health(long pending, @Nullable Duration oldest, @Nullable Duration most) {
    boolean stuck = most != null && oldest != null && oldest.compareTo(most) > 0;
    Health.Builder health = stuck ? Health.down() : Health.up();
    health.withDetail("pending", pending);
    if (oldest != null) {
      health.withDetail("oldest", oldest.toString());
    }
    return health.build();
  }
}

package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Registers a {@link Purgatory} bean for each name under {@code purgatory.instances}. All use one
 * {@link Timer}: the application's bean, if it has one. Their metrics are in the application's
 * {@link MeterRegistry}, if it has one, and so are the gauges of the application's own purgatories.
 *
 * <p>When the context is closed, before the web server stops, they answer what they hold with
 * {@link dev.purgatory.Outcome#CLOSED}, within {@code purgatory.close-timeout}.
 */
@AutoConfiguration
@EnableConfigurationProperties(PurgatoryProperties.class)
@Import(PurgatoryBeans.class)
public final class PurgatoryAutoConfiguration {

  /** Creates the configuration. */
  public PurgatoryAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  Timer purgatoryTimer(PurgatoryProperties properties) {
    return Timer.builder().tick(properties.tick()).start("purgatory-clock");
  }

  @Bean
  PurgatoryFactory purgatoryFactory(
      ApplicationContext context,
      PurgatoryProperties properties,
      Timer timer,
      ObjectProvider<MeterRegistry> registry,
      ObjectProvider<ObservationRegistry> observations,
      ObjectProvider<PurgatoryCustomizer> customizers) {
    return new PurgatoryFactory(
        context, properties.closeTimeout(), timer, registry, observations, customizers);
  }

  @Bean
  static PurgatoryGaugesOfBeans purgatoryGauges(
      BeanFactory beans, ObjectProvider<MeterRegistry> registry) {
    return new PurgatoryGaugesOfBeans(beans, registry);
  }
}

package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Adds the endpoint {@code purgatory} to the Actuator. As any endpoint, it is served if {@code
 * management.endpoints.web.exposure.include} names it.
 */
@AutoConfiguration(after = PurgatoryAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Purgatory.class)
@ConditionalOnAvailableEndpoint(PurgatoryEndpoint.class)
@EnableConfigurationProperties(PurgatoryEndpointProperties.class)
public final class PurgatoryEndpointAutoConfiguration {

  /** Creates the configuration. */
  public PurgatoryEndpointAutoConfiguration() {}

  @Bean
  PurgatoryEndpoint purgatoryEndpoint(
      Map<String, Purgatory<?>> purgatories, PurgatoryEndpointProperties properties) {
    return new PurgatoryEndpoint(purgatories, properties);
  }
}

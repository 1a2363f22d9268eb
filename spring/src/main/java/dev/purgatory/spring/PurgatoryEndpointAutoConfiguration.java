package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.console.Findings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
      Map<String, Purgatory<?>> purgatories,
      PurgatoryEndpointProperties properties,
      ObjectProvider<PurgatoryEndpoint.Console> console) {
    return new PurgatoryEndpoint(purgatories, properties, console.getIfAvailable());
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Findings.class)
  static class WithConsole {

    @Bean
    PurgatoryEndpoint.Console purgatoryFindings() {
      Map<Purgatory<?>, Findings> findings = new ConcurrentHashMap<>();
      return (purgatory, name) ->
          findings.computeIfAbsent(purgatory, each -> new Findings(each)).find(name);
    }
  }
}

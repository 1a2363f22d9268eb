package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.console.Finding;
import dev.purgatory.console.Findings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
    PurgatoryEndpoint.Console purgatoryFindings(Map<String, Purgatory<?>> purgatories) {
      Findings findings = new Findings(purgatories.values().toArray(new Purgatory<?>[0]));
      return name -> {
        Map<@Nullable String, List<Finding>> byPurgatory = new HashMap<>();
        for (Finding each : findings.find(name)) {
          byPurgatory.computeIfAbsent(each.purgatory(), any -> new ArrayList<>()).add(each);
        }
        return byPurgatory;
      };
    }
  }
}

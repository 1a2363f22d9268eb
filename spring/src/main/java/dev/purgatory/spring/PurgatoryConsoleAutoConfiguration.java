package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.console.Console;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Serves the page of {@code purgatory-console} about all purgatories, if that is on the class path,
 * and logs its address. The page is closed with the context.
 */
@AutoConfiguration(after = PurgatoryAutoConfiguration.class)
@ConditionalOnClass(Console.class)
@ConditionalOnBean(Purgatory.class)
@ConditionalOnBooleanProperty(name = "purgatory.console.enabled", matchIfMissing = true)
public final class PurgatoryConsoleAutoConfiguration {
  private static final Log log = LogFactory.getLog(PurgatoryConsoleAutoConfiguration.class);

  /** Creates the configuration. */
  public PurgatoryConsoleAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  @Lazy(false) // nothing else asks for it
  Console purgatoryConsole(Map<String, Purgatory<?>> purgatories, PurgatoryProperties properties) {
    Console.Builder builder = Console.builder().port(properties.console().port());
    if (properties.console().host() != null) {
      builder.host(properties.console().host());
    }
    if (properties.console().showKeys()) {
      builder.showKeys();
    }
    purgatories.values().forEach(builder::add);
    Console console = builder.serve();
    log.info("The purgatories are shown at " + console.address());
    return console;
  }
}

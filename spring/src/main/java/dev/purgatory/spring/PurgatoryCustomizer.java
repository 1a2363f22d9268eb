package dev.purgatory.spring;

import dev.purgatory.PurgatoryBuilder;

/**
 * Sets up what properties cannot: executors, listeners, the context that is carried to callbacks.
 * Each bean of this type is called once for each purgatory of the properties, before it is built.
 *
 * <pre>{@code
 * @Bean
 * PurgatoryCustomizer answersOn(ThreadPoolTaskExecutor executor) {
 *   return (name, builder) -> builder.completionExecutor(executor);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface PurgatoryCustomizer {

  /**
   * Customizes one purgatory.
   *
   * @param name the name of the purgatory and of its bean
   * @param builder set up from the properties
   */
  void customize(String name, PurgatoryBuilder<?> builder);
}

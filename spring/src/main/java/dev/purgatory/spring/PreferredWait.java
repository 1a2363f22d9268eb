package dev.purgatory.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a controller that gets how long the client wants to wait: a {@link
 * java.time.Duration}, from the header {@code Prefer: wait=30} (RFC 7240), in seconds. For Spring
 * MVC and WebFlux.
 *
 * <pre>{@code
 * @GetMapping("/{topic}")
 * HeldFuture<ResponseEntity<String>> poll(@PathVariable String topic, @PreferredWait("30s") Duration wait) {
 *   return polls
 *       .until(() -> answer(topic)) // a response of 200, or null
 *       .orAfter(wait, () -> ResponseEntity.noContent().build())
 *       .hold(topic);
 * }
 * }</pre>
 *
 * <p>The answer to a client that asked has the header {@code Preference-Applied: wait=30}, with the
 * time that it got. All answers have {@code Vary: Prefer}. A header that has no number of seconds
 * is ignored.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface PreferredWait {

  /**
   * Returns the time for clients that do not ask.
   *
   * @return a duration such as {@code 30s} or {@code PT30S}, or a placeholder such as {@code
   *     ${polls.wait}}
   */
  String value();

  /**
   * Returns the longest time that a client gets; in whole seconds, rounded down, if it asks for
   * more.
   *
   * @return a duration or a placeholder; if empty, that of {@link #value}. It must not be shorter
   *     than that
   */
  String max() default "";
}

/*
 * Why it is like this. Each purgatory is a bean, added by a BeanRegistrar before injection is resolved. Unknown properties
 * fail the start: a mistyped limit is no limit. All share one timer, or the application's Timer bean, for virtual time in tests.
 *
 * Purgatories close at ContextClosedEvent. The graceful shutdown of the web server comes later, and would wait for the held
 * requests.
 *
 * Controllers return a HeldFuture. WebFlux cancels it by itself; for Spring MVC, a handler of return values does. Requests
 * that a purgatory ends or refuses get 503 with Retry-After, after the application's exception handlers.
 *
 * Observations have a listener apart, for each purgatory that asks: a span for each request costs more than all metrics.
 * The endpoint of the Actuator keeps nothing of a request. Its values are hidden by default. It is for the web: JMX has the MBean.
 *
 * The console comes with its dependency alone, at the loopback address and without keys: it opens a port, which nobody
 * expects of a library.
 *
 * Rejected:
 * - a registry bean with get(name): it finds a wrong name only when it is called;
 * - a SmartLifecycle: the context can be started again, and a closed purgatory stays closed;
 * - a map directly under `purgatory`: no metadata for completion, and no room for shared settings;
 * - Spring Boot 3.5: other packages for health, and no BeanRegistrar;
 * - a helper for Mono: Mono.fromFuture(() -> ...) is one line, and cancels the request;
 * - a module-info: Spring's modules are automatic and reflect on this one. Reconsider when they are not.
 *
 * Tomcat and Jetty do not read from an HTTP/1.1 connection while a request waits, so they do not notice that the client
 * has left. Tomcat with HTTP/2 and Reactor Netty do.
 */
/**
 * A starter for Spring Boot: purgatories as beans, set up by properties.
 *
 * <p>Start reading at {@link dev.purgatory.spring.PurgatoryAutoConfiguration}. Controllers return a
 * {@link dev.purgatory.HeldFuture}, or a {@link dev.purgatory.spring.HeldResult}.
 */
@NullMarked
package dev.purgatory.spring;

import org.jspecify.annotations.NullMarked;

package dev.purgatory.spring;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.SyncHandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Gives the controllers of WebFlux a {@link PreferredWait}. Requests that time out, exceed a limit
 * or meet a closed purgatory are answered with 503.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFluxConfigurer.class)
public final class PurgatoryWebFluxAutoConfiguration {

  /** Creates the configuration. */
  public PurgatoryWebFluxAutoConfiguration() {}

  @Bean
  WebFluxConfigurer preferredWaitOfReactiveControllers(ConfigurableBeanFactory beans) {
    return new WebFluxConfigurer() {
      @Override
      public void configureArgumentResolvers(ArgumentResolverConfigurer resolvers) {
        resolvers.addCustomResolver(new Resolver(beans));
      }
    };
  }

  /** Comes after the application's own exception handlers, and before that of Spring Boot. */
  @Bean
  @Order(-2)
  WebExceptionHandler unavailableRequestsOfReactiveControllers() {
    return (exchange, error) -> {
      ServerHttpResponse answer = exchange.getResponse();
      if (!Unavailable.isReasonOf(error) || answer.isCommitted()) {
        return Mono.error(error);
      }
      answer.getHeaders().set(HttpHeaders.RETRY_AFTER, Unavailable.RETRY_AFTER);
      return Mono.error(new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, null, error));
    };
  }

  private record Resolver(ConfigurableBeanFactory beans)
      implements SyncHandlerMethodArgumentResolver {
    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return WaitPreference.isWanted(parameter);
    }

    @Override
    public Object resolveArgumentValue(
        MethodParameter parameter, BindingContext context, ServerWebExchange exchange) {
      HttpHeaders asked = exchange.getRequest().getHeaders();
      WaitPreference preference =
          WaitPreference.of(
              parameter, beans::resolveEmbeddedValue, asked.getOrEmpty(WaitPreference.PREFER));
      preference.addTo(exchange.getResponse().getHeaders()::add);
      return preference.timeout();
    }
  }
}

package dev.purgatory.spring;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.SyncHandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.ServerWebExchange;

/** Gives the controllers of WebFlux a {@link PreferredWait}. */
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
      HttpHeaders answer = exchange.getResponse().getHeaders();
      WaitPreference preference =
          WaitPreference.of(
              parameter, beans::resolveEmbeddedValue, asked.getOrEmpty(WaitPreference.PREFER));
      answer.add(HttpHeaders.VARY, WaitPreference.PREFER);
      if (preference.isApplied()) {
        answer.add(WaitPreference.PREFERENCE_APPLIED, preference.applied());
      }
      return preference.timeout();
    }
  }
}

package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Lets the controllers of Spring MVC return a {@link dev.purgatory.HeldFuture}, which is cancelled
 * when the exchange ends, and gives them a {@link PreferredWait}. WebFlux needs no set-up for the
 * former. Requests that time out, exceed a limit or meet a closed purgatory are answered with 503.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(RequestMappingHandlerAdapter.class)
public final class PurgatoryWebMvcAutoConfiguration {

  /** Creates the configuration. */
  public PurgatoryWebMvcAutoConfiguration() {}

  @Bean
  static BeanPostProcessor heldFuturesOfControllers() {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof RequestMappingHandlerAdapter adapter) {
          putFirst(adapter);
        }
        return bean;
      }
    };
  }

  @Bean
  WebMvcConfigurer preferredWaitOfControllers(ConfigurableBeanFactory beans) {
    return new WebMvcConfigurer() {
      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(new Resolver(beans));
      }
    };
  }

  /** Comes after the application's own exception handlers, and before the server logs an error. */
  @Bean
  HandlerExceptionResolver unavailableRequestsOfControllers() {
    return (request, response, handler, error) -> {
      if (!Unavailable.isReasonOf(error) || response.isCommitted()) {
        return null;
      }
      response.setHeader(HttpHeaders.RETRY_AFTER, Unavailable.RETRY_AFTER);
      try {
        response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      } catch (IOException e) {
        return null; // the client is gone
      }
      return new ModelAndView();
    };
  }

  private record Resolver(ConfigurableBeanFactory beans) implements HandlerMethodArgumentResolver {
    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return WaitPreference.isWanted(parameter);
    }

    @Override
    public Object resolveArgument(
        MethodParameter parameter,
        @Nullable ModelAndViewContainer container,
        NativeWebRequest request,
        @Nullable WebDataBinderFactory factory) {
      String[] headers = request.getHeaderValues(WaitPreference.PREFER);
      WaitPreference preference =
          WaitPreference.of(
              parameter,
              beans::resolveEmbeddedValue,
              headers == null ? List.of() : List.of(headers));
      preference.addTo(
          requireNonNull(request.getNativeResponse(HttpServletResponse.class))::addHeader);
      return preference.timeout();
    }
  }

  /** A handler that is added in the usual way comes after the one for any CompletionStage. */
  private static void putFirst(RequestMappingHandlerAdapter adapter) {
    List<HandlerMethodReturnValueHandler> handlers = new ArrayList<>();
    handlers.add(new HeldFutureHandler());
    if (adapter.getReturnValueHandlers() != null) {
      handlers.addAll(adapter.getReturnValueHandlers());
    }
    adapter.setReturnValueHandlers(handlers);
  }
}

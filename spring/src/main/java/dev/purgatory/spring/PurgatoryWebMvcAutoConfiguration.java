package dev.purgatory.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Lets the controllers of Spring MVC return a {@link dev.purgatory.HeldFuture}, which is cancelled
 * when the exchange ends. WebFlux needs no set-up for this.
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

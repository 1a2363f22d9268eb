package dev.purgatory.spring;

import dev.purgatory.HeldFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.support.AsyncHandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Handles controllers of Spring MVC that return a {@link HeldFuture}. */
final class HeldFutureHandler implements AsyncHandlerMethodReturnValueHandler {

  @Override
  public boolean supportsReturnType(MethodParameter returnType) {
    return HeldFuture.class.isAssignableFrom(returnType.getParameterType());
  }

  @Override
  public boolean isAsyncReturnValue(@Nullable Object value, MethodParameter returnType) {
    return value instanceof HeldFuture;
  }

  @Override
  public void handleReturnValue(
      @Nullable Object value,
      MethodParameter returnType,
      ModelAndViewContainer container,
      NativeWebRequest request)
      throws Exception {
    if (!(value instanceof HeldFuture<?> future)) {
      container.setRequestHandled(true);
      return;
    }
    try {
      WebAsyncUtils.getAsyncManager(request)
          .startDeferredResultProcessing(new HeldResult<>(future), container);
    } catch (Throwable e) {
      future.cancel(false); // nothing else would before its time limit
      throw e;
    }
  }
}

package dev.purgatory.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import jakarta.servlet.Filter;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class TomcatTest extends AbstractWebTest {
  private static final String NO_ASYNC = "no-async";

  TomcatTest() {
    super(
        "--spring.main.web-application-type=servlet",
        "--server.http2.enabled=true",
        "--spring.threads.virtual.enabled=true", // from JDK 21 on
        "--spring.main.sources=" + FilterWithoutAsync.class.getName());
  }

  @Override
  boolean mayBlock() {
    return true;
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "result", "mono", "stage", "blocking"})
  void refusedOrLateRequest_isUnavailable(String path, CapturedOutput output) throws Exception {
    refusalsAndTimeouts_areUnavailable(path, output);
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "result", "mono", "stage"})
  void heldRequest_isAnsweredByASignal(String path) throws Exception {
    signalAnswers(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "result", "stage"})
  void http2_clientThatGivesUp_cancelsItsRequest(String path) throws Exception {
    giveUp(path, 60, Outcome.CANCELLED);
  }

  @Test
  void http2_clientThatGivesUp_cancelsARequestWithACallbackOfItsOwn() throws Exception {
    giveUp("callback", 60, Outcome.CANCELLED);
    assertThat(callbacks()).isEqualTo(1);
  }

  private void giveUp(String path, int seconds, Outcome outcome) throws Exception {
    HttpClient http2 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    var first = http2.send(get("/now"), HttpResponse.BodyHandlers.ofString());
    assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
    HttpRequest request = get(path(path, seconds));
    HeldFuture<?> before = lastHeld();
    var response = http2.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    awaitHeldAfter(before);
    response.cancel(true);
    awaitEnd(outcome);
  }

  @Test
  void requestThatCannotWait_isNotHeld() {
    var response = sendAsync(get("/future/" + NO_ASYNC + "?maxWait=PT60S"));
    assertThat(response.join().statusCode()).isEqualTo(500);
    awaitEnd(Outcome.CANCELLED);
  }

  @Configuration(proxyBeanMethods = false)
  static class FilterWithoutAsync {

    @Bean
    FilterRegistrationBean<Filter> filterWithoutAsync() {
      Filter filter = (request, response, chain) -> chain.doFilter(request, response);
      FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
      registration.addUrlPatterns("/future/" + NO_ASYNC);
      registration.setAsyncSupported(false);
      return registration;
    }
  }

  /** Spring MVC itself does not cancel what it subscribes to. */
  @Test
  void http2_monoOfAClientThatGivesUp_isHeldUntilItsTimeLimit() throws Exception {
    giveUp("mono", 2, Outcome.TIMED_OUT);
  }

  /** Tomcat does not read from an HTTP/1.1 connection while a request waits. */
  @Test
  void http1_clientThatGoesAway_isNoticedAtTheTimeLimit() throws Exception {
    HeldFuture<?> before = lastHeld();
    Socket socket = send("future", 1);
    awaitHeldAfter(before);
    socket.close();
    awaitEnd(Outcome.TIMED_OUT);
  }
}

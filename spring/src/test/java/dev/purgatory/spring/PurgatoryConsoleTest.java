package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.Purgatory;
import dev.purgatory.console.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored")
class PurgatoryConsoleTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PurgatoryAutoConfiguration.class, PurgatoryConsoleAutoConfiguration.class))
          .withPropertyValues("purgatory.instances.polls.diagnostics=true");

  /** An application that has nothing but its dependencies and a property. */
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withUserConfiguration(Application.class)
          .withPropertyValues("purgatory.instances.polls.diagnostics=true");

  private final HttpClient client = HttpClient.newHttpClient();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  private int status(URI address) throws IOException, InterruptedException {
    return client
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** Returns the first sample that the page gets. */
  private String sample(URI address) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(address.resolve("/events")).build();
    var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (!line.startsWith("data: ")) {
        line = lines.readLine();
      }
      return line;
    }
  }

  @SuppressWarnings("unchecked")
  private static void hold(ApplicationContext context) {
    Purgatory<String> polls = context.getBean("polls", Purgatory.class);
    polls.until(() -> null).orTimeout(Duration.ofMinutes(1)).hold("secret");
  }

  @Test
  void dependencyAlone_servesThePage_untilTheContextIsClosed() {
    AtomicReference<@Nullable URI> address = new AtomicReference<>();
    application.run(
        context -> {
          URI at = context.getBean(Console.class).address();
          address.set(at);
          assertThat(InetAddress.getByName(at.getHost()).isLoopbackAddress()).isTrue();
          assertThat(at.getQuery()).isNull();
          hold(context);
          assertThat(status(at)).isEqualTo(200);
          assertThat(sample(at)).contains("polls").doesNotContain("secret");
        });
    assertThatThrownBy(() -> status(requireNonNull(address.get())))
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void keys_areShownIfAPropertyAllows() {
    runner
        .withPropertyValues("purgatory.console.show-keys=true")
        .run(
            context -> {
              hold(context);
              assertThat(sample(context.getBean(Console.class).address())).contains("secret");
            });
  }

  @Test
  void port_isThatOfTheProperty_andOneInUseFailsTheStart() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
      runner
          .withPropertyValues("purgatory.console.port=" + port)
          .run(
              context ->
                  assertThat(context.getStartupFailure())
                      .hasStackTraceContaining(String.valueOf(port)));
    }
    runner
        .withPropertyValues("purgatory.console.port=" + port)
        .run(
            context ->
                assertThat(context.getBean(Console.class).address().getPort()).isEqualTo(port));
  }

  @Test
  void elsewhere_aTokenIsNeeded() {
    runner
        .withPropertyValues("purgatory.console.host=0.0.0.0")
        .run(
            context -> {
              URI at = context.getBean(Console.class).address();
              assertThat(at.getQuery()).startsWith("token=");
              URI here = URI.create("http://localhost:" + at.getPort() + "/");
              assertThat(status(here)).isEqualTo(401);
              assertThat(status(here.resolve("/?" + at.getQuery()))).isEqualTo(303);
            });
  }

  @Test
  void console_isServedWhereBeansAreLazy() {
    runner
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .run(
            context ->
                assertThat(context.getBeanFactory().getSingletonNames())
                    .contains("purgatoryConsole"));
  }

  @Test
  void console_isNotThere_ifItIsNotWanted() {
    runner
        .withPropertyValues("purgatory.console.enabled=false")
        .run(context -> assertThat(context).hasBean("polls").doesNotHaveBean(Console.class));
  }

  @Test
  void console_isNotThere_withoutItsArtifact() {
    application
        .withClassLoader(new FilteredClassLoader("dev.purgatory.console"))
        .withPropertyValues("purgatory.console.show-keys=true")
        .run(context -> assertThat(context).hasBean("polls").doesNotHaveBean("purgatoryConsole"));
  }

  @Test
  void console_isNotThere_withoutPurgatories() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PurgatoryAutoConfiguration.class, PurgatoryConsoleAutoConfiguration.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Console.class));
  }

  @Test
  void ownConsole_isTheOnlyOne() {
    runner
        .withBean("mine", Console.class, Console::serve)
        .run(context -> assertThat(context).getBeanNames(Console.class).containsExactly("mine"));
  }
}

package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.spring.PurgatoryEndpoint.Details;
import dev.purgatory.spring.PurgatoryEndpoint.KeyCount;
import dev.purgatory.spring.PurgatoryEndpoint.Numbers;
import dev.purgatory.spring.PurgatoryEndpoint.Overview;
import dev.purgatory.spring.PurgatoryEndpoint.Request;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.timer.Timer;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@link AbstractWebTest} has the endpoint over HTTP. */
@SuppressWarnings("FutureReturnValueIgnored")
class PurgatoryEndpointTest {
  private static final String EXPOSED = "management.endpoints.web.exposure.include=purgatory";
  private static final String ALWAYS = "management.endpoint.purgatory.show-values=always";

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PurgatoryAutoConfiguration.class, PurgatoryEndpointAutoConfiguration.class))
          .withUserConfiguration(WithVirtualTime.class)
          .withPropertyValues("purgatory.instances.polls.diagnostics=true");

  @Configuration(proxyBeanMethods = false)
  static class WithVirtualTime {
    @Bean
    VirtualTime time() {
      return VirtualTime.create();
    }

    @Bean
    Timer timer(VirtualTime time) {
      return time.timer();
    }
  }

  /** A user in a role, or who has not logged in. */
  private record User(@Nullable String role) implements SecurityContext {
    @Override
    public @Nullable Principal getPrincipal() {
      return role == null ? null : () -> "somebody";
    }

    @Override
    public boolean isUserInRole(String asked) {
      return asked.equals(role);
    }
  }

  private static final User ANYBODY = new User(null);

  @SuppressWarnings("unchecked")
  private static Purgatory<Object> polls(ApplicationContext context) {
    return context.getBean("polls", Purgatory.class);
  }

  private static void hold(ApplicationContext context, Object key) {
    polls(context)
        .until(() -> (String) null)
        .tag("for Ada")
        .orTimeout(Duration.ofMinutes(1))
        .hold(key);
  }

  private static Details details(ApplicationContext context, User user) {
    return requireNonNull(context.getBean(PurgatoryEndpoint.class).purgatory(user, "polls"));
  }

  private static Numbers overview(ApplicationContext context) {
    return requireNonNull(
        context.getBean(PurgatoryEndpoint.class).purgatories().purgatories().get("polls"));
  }

  private static Request oldest(Details details) {
    return requireNonNull(details.oldestRequests()).get(0);
  }

  @Test
  void endpoint_isNotExposedByDefault() {
    runner.run(context -> assertThat(context).doesNotHaveBean(PurgatoryEndpoint.class));
  }

  @Test
  void endpoint_isNotThereWithoutAccess() {
    runner
        .withPropertyValues(EXPOSED, "management.endpoint.purgatory.access=NONE")
        .run(context -> assertThat(context).doesNotHaveBean(PurgatoryEndpoint.class));
  }

  @Test
  void values_areHiddenByDefault() {
    runner
        .withPropertyValues(EXPOSED)
        .run(
            context -> {
              hold(context, "secret");
              Details hidden = details(context, new User("admin"));
              assertThat(hidden.numbers().pending()).isEqualTo(1);
              assertThat(hidden.busiestKeys()).containsExactly(new KeyCount(null, 1));
              assertThat(hidden.toString()).doesNotContain("secret", "Ada");
              Request request = oldest(hidden);
              assertThat(request.timeLeft()).isEqualTo(Duration.ofMinutes(1));
              assertThat(
                      context
                          .getBean(PurgatoryEndpoint.class)
                          .request(new User("admin"), "polls", request.id()))
                  .isEqualTo(request);
            });
  }

  @Test
  void values_areShownToWhomThePropertiesAllow() {
    runner
        .withPropertyValues(
            EXPOSED,
            "management.endpoint.purgatory.show-values=when-authorized",
            "management.endpoint.purgatory.roles=admin")
        .run(
            context -> {
              hold(context, "secret");
              assertThat(details(context, ANYBODY).toString()).doesNotContain("secret", "Ada");
              assertThat(details(context, new User("guest")).toString()).doesNotContain("secret");
              Request shown = oldest(details(context, new User("admin")));
              assertThat(shown.keys()).containsExactly("secret");
              assertThat(shown.tag()).isEqualTo("for Ada");
              assertThat(shown.explanation()).contains("waits on [secret]");
            });
  }

  @Test
  void missedSignals_areCounted() {
    runner
        .withPropertyValues(EXPOSED, ALWAYS)
        .run(
            context -> {
              AtomicBoolean ready = new AtomicBoolean();
              HeldFuture<String> forgotten =
                  polls(context)
                      .until(() -> ready.get() ? "yes" : null)
                      .orTimeout(Duration.ofSeconds(1))
                      .hold("forgotten");
              ready.set(true);
              context.getBean(VirtualTime.class).advance(Duration.ofSeconds(2));
              forgotten.join(); // on a helper thread
              Details details = details(context, ANYBODY);
              assertThat(details.missedSignals()).containsExactly(new KeyCount("forgotten", 1));
              assertThat(details.numbers().missedSignals()).isEqualTo(1);
            });
  }

  /** Ends requests that nobody signals although their condition is true. */
  private static void forget(ApplicationContext context, Object key) {
    AtomicBoolean ready = new AtomicBoolean();
    List<HeldFuture<String>> forgotten = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      forgotten.add(
          polls(context)
              .until(() -> ready.get() ? "yes" : null)
              .orTimeout(Duration.ofSeconds(1))
              .hold(key));
    }
    ready.set(true);
    context.getBean(VirtualTime.class).advance(Duration.ofSeconds(2));
    forgotten.forEach(HeldFuture::join); // on a helper thread
  }

  @Test
  void findings_areShown_withTheKeysForWhomThePropertiesAllow() {
    runner
        .withPropertyValues(
            EXPOSED,
            "management.endpoint.purgatory.show-values=when-authorized",
            "management.endpoint.purgatory.roles=admin")
        .run(
            context -> {
              assertThat(details(context, ANYBODY).findings()).isEmpty();
              forget(context, "secret");
              Details hidden = details(context, ANYBODY);
              assertThat(hidden.toString()).doesNotContain("secret");
              assertThat(hidden.findings())
                  .extracting("kind", "title")
                  .containsExactly(tuple("missed-signal", "Nobody signals a key, which is hidden"));
              assertThat(hidden.numbers().findings()).isEqualTo(1);
              assertThat(overview(context).findings()).isEqualTo(1);
              assertThat(details(context, new User("admin")).findings())
                  .extracting("title")
                  .containsExactly("Nobody signals secret");
            });
  }

  @Test
  void signalsForKeysOfAnotherType_areFound() {
    runner
        .withPropertyValues(EXPOSED, ALWAYS)
        .run(
            context -> {
              hold(context, 7L);
              context.getBean(VirtualTime.class).advance(Duration.ofSeconds(1));
              assertThat(details(context, ANYBODY).findings()).isEmpty();
              for (int i = 0; i < 3; i++) {
                assertThat(polls(context).signal(7)).isZero();
              }
              // Its clock is the system's; the request has to be older than the signals.
              context.getBean(VirtualTime.class).advance(Duration.ofSeconds(30));
              assertThat(details(context, ANYBODY).findings())
                  .extracting("title")
                  .containsExactly("Signals do not find the requests on 7");
            });
  }

  /** A stack names no purgatory. */
  @Test
  void findingAboutTheProgram_isReportedOnce() {
    runner
        .withPropertyValues(EXPOSED, "purgatory.instances.others.diagnostics=true")
        .run(
            context -> {
              AtomicBoolean waits = new AtomicBoolean();
              CompletableFuture<Boolean> released = new CompletableFuture<>();
              polls(context).untilTrue(() -> waits.get() && released.join()).forever().hold("a");
              waits.set(true);
              Thread signalling = new Thread(() -> polls(context).signal("a"));
              signalling.start();
              PurgatoryEndpoint endpoint = context.getBean(PurgatoryEndpoint.class);
              Overview overview = endpoint.purgatories();
              while (requireNonNull(overview.findings()).isEmpty()) {
                Thread.sleep(1);
                overview = endpoint.purgatories();
              }
              assertThat(overview.findings()).extracting("kind").containsExactly("slow-condition");
              assertThat(overview.purgatories().values())
                  .extracting(Numbers::findings)
                  .containsExactly(0, 0);
              assertThat(details(context, ANYBODY).findings()).isEmpty();
              released.complete(true);
              signalling.join();
            });
  }

  @Test
  void findings_areAbsent_withoutTheConsole() {
    runner
        .withPropertyValues(EXPOSED, ALWAYS)
        .withClassLoader(new FilteredClassLoader("dev.purgatory.console"))
        .run(
            context -> {
              forget(context, "forgotten");
              assertThat(details(context, ANYBODY).findings()).isNull();
              assertThat(overview(context).findings()).isNull();
              assertThat(context.getBean(PurgatoryEndpoint.class).purgatories().findings())
                  .isNull();
            });
  }

  @Test
  void withoutDiagnostics_thereAreNumbersOnly() {
    runner
        .withPropertyValues(EXPOSED, ALWAYS, "purgatory.instances.polls.diagnostics=false")
        .run(
            context -> {
              hold(context, "a");
              Details details = details(context, ANYBODY);
              assertThat(details.numbers())
                  .isEqualTo(new Numbers(1, 0, 0, 1, Duration.ZERO, null, 0));
              assertThat(details.missedSignals()).isNull();
              assertThat(oldest(details).explanation()).isNull();
            });
  }

  @Test
  void longOrThrowingTexts_areContained() {
    runner
        .withPropertyValues(EXPOSED, ALWAYS)
        .run(
            context -> {
              hold(context, "x".repeat(1_000));
              hold(
                  context,
                  new Object() {
                    @Override
                    public String toString() {
                      throw new AssertionError("no text");
                    }
                  });
              assertThat(details(context, ANYBODY).busiestKeys())
                  .extracting(each -> requireNonNull(each.key()))
                  .containsExactlyInAnyOrder(
                      "x".repeat(199) + "…", "(toString threw java.lang.AssertionError)");
              assertThat(requireNonNull(details(context, ANYBODY).oldestRequests()))
                  .extracting(each -> requireNonNull(each.explanation()).length())
                  .allMatch(length -> length <= 2_000);
            });
  }

  @Test
  void manyRequests_areCountedAndNotListed() {
    runner
        .withPropertyValues(EXPOSED)
        .run(
            context -> {
              for (int i = 0; i <= 10_000; i++) {
                hold(context, i);
              }
              Details details = details(context, ANYBODY);
              assertThat(details.numbers().pending()).isEqualTo(10_001);
              assertThat(details.busiestKeys()).hasSize(20);
              assertThat(details.oldestRequests()).isNull();
              assertThat(context.getBean(PurgatoryEndpoint.class).request(ANYBODY, "polls", "0"))
                  .isNull();
            });
  }

  @Test
  void ownPurgatory_isThereByTheNameOfItsBean() {
    runner
        .withBean("mine", Purgatory.class, () -> Purgatory.builder("other", String.class).build())
        .withPropertyValues(EXPOSED)
        .run(
            context ->
                assertThat(context.getBean(PurgatoryEndpoint.class).purgatories().purgatories())
                    .containsOnlyKeys(List.of("polls", "mine")));
  }
}

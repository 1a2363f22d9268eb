package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.timer.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@SuppressWarnings("FutureReturnValueIgnored")
class PurgatoryAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PurgatoryAutoConfiguration.class, PurgatoryHealthAutoConfiguration.class));

  @SuppressWarnings("unchecked")
  private static Purgatory<String> purgatory(ApplicationContext context, String name) {
    return context.getBean(name, Purgatory.class);
  }

  private static HeldFuture<String> hold(Purgatory<String> purgatory, String key) {
    return purgatory.until(() -> (String) null).orTimeout(Duration.ofMinutes(1)).hold(key);
  }

  @Test
  void properties_makeBeansWithTheirNames() {
    runner
        .withPropertyValues("purgatory.instances.polls=", "purgatory.instances.acks.max-requests=2")
        .run(
            context -> {
              assertThat(context).getBeanNames(Purgatory.class).containsOnly("polls", "acks");
              assertThat(purgatory(context, "polls")).asString().contains("polls");
            });
  }

  @Test
  void noProperties_noPurgatoryAndNoHealth() {
    runner.run(
        context -> {
          assertThat(context).doesNotHaveBean(Purgatory.class);
          assertThat(context).doesNotHaveBean("purgatoryHealthContributor");
        });
  }

  @Test
  void limit_refusesWhatIsAbove() {
    runner
        .withPropertyValues("purgatory.instances.acks.max-requests=1")
        .run(
            context -> {
              Purgatory<String> acks = purgatory(context, "acks");
              hold(acks, "a");
              assertThat(hold(acks, "b").cause())
                  .isInstanceOf(LimitExceededException.class)
                  .hasMessageContaining("acks");
            });
  }

  @Test
  void weightAndEviction_areSet() {
    runner
        .withPropertyValues(
            "purgatory.instances.acks.max-weight=10", "purgatory.instances.acks.evict-oldest=true")
        .run(
            context -> {
              Purgatory<String> acks = purgatory(context, "acks");
              var first = acks.until(() -> null).orTimeout(Duration.ofMinutes(1)).weight(10);
              HeldFuture<?> evicted = first.hold("a");
              hold(acks, "b");
              assertThat(evicted.cause()).isInstanceOf(LimitExceededException.class);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "purgatory.instances.polls.max-requests=0 | max-requests 0 is not positive",
        "purgatory.instances.polls.max-weight=-1  | max-weight -1 is not positive",
        "purgatory.instances.polls.unhealthy-after=0s | unhealthy-after PT0S is not positive",
        "purgatory.instances.polls.evict-oldest=true | evict-oldest needs max-requests or",
        "purgatory.instances.polls=7 | purgatory.instances.polls",
        "purgatory.tick=0s | tick PT0S is not positive",
        "purgatory.close-timeout=-1s | close-timeout PT-1S is negative",
        "purgatory.instances.polls.max-request=7 | purgatory.instances.polls.max-request",
        "purgatory.instance.polls.max-requests=7 | purgatory.instance.polls.max-requests",
      })
  void wrongProperty_failsTheStartAndSaysWhich(String property, String message) {
    runner
        .withPropertyValues(property)
        .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(message));
  }

  @Test
  void closing_answersWhatIsHeld() {
    runner
        .withPropertyValues("purgatory.instances.polls=")
        .run(
            context -> {
              HeldFuture<String> held = hold(purgatory(context, "polls"), "a");
              context.close();
              assertThat(held.outcome()).isEqualTo(Outcome.CLOSED);
              assertThat(held.cause()).isInstanceOf(PurgatoryClosedException.class);
            });
  }

  @Test
  @Timeout(60)
  void closing_takesNoLongerThanItsLimit() {
    CountDownLatch never = new CountDownLatch(1);
    runner
        .withPropertyValues("purgatory.instances.polls=", "purgatory.close-timeout=100ms")
        .run(
            context -> {
              HeldFuture<String> stuck = hold(purgatory(context, "polls"), "a");
              AtomicBoolean interrupted = new AtomicBoolean();
              var end = stuck.whenComplete((value, error) -> interrupted.set(!await(never)));
              context.close();
              assertThat(end).failsWithin(Duration.ofSeconds(10));
              assertThat(interrupted).isTrue();
            });
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void closingAChildContext_leavesThePurgatoryOpen() {
    runner
        .withPropertyValues("purgatory.instances.polls=")
        .run(
            context -> {
              HeldFuture<String> held = hold(purgatory(context, "polls"), "a");
              try (var child = new AnnotationConfigApplicationContext()) {
                child.setParent(context);
                child.refresh();
              }
              assertThat(held).isNotDone();
            });
  }

  @Test
  void metrics_areInTheRegistryUntilTheContextIsClosed() {
    MeterRegistry registry = new SimpleMeterRegistry();
    runner
        .withPropertyValues(
            "purgatory.instances.polls.diagnostics=true", "purgatory.instances.acks=")
        .withBean(MeterRegistry.class, () -> registry)
        .run(
            context -> {
              assertThat(context).hasSingleBean(Diagnostics.class).hasBean("pollsDiagnostics");
              hold(purgatory(context, "polls"), "a");
              assertThat(registry.get("purgatory.pending").tag("name", "polls").gauge().value())
                  .isEqualTo(1);
              assertThat(registry.find("purgatory.checks").gauges()).hasSize(3);
              assertThat(registry.find("purgatory.held").tag("name", "acks").timers()).isNotEmpty();
            });
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void health_isDownWhileARequestIsHeldForTooLong() {
    VirtualTime time = VirtualTime.create();
    runner
        .withPropertyValues("purgatory.instances.polls.unhealthy-after=10s")
        .withBean(Timer.class, time::timer)
        .run(
            context -> {
              HeldFuture<String> held = hold(purgatory(context, "polls"), "a");
              time.advance(Duration.ofSeconds(10));
              assertThat(health(context, "polls").getStatus()).isEqualTo(Status.UP);
              time.advance(Duration.ofSeconds(1));
              Health stuck = health(context, "polls");
              assertThat(stuck.getStatus()).isEqualTo(Status.DOWN);
              assertThat(stuck.getDetails())
                  .containsEntry("pending", 1L)
                  .containsEntry("oldest", "PT11S");
              held.cancel(false);
              assertThat(health(context, "polls").getStatus()).isEqualTo(Status.UP);
            });
  }

  private static Health health(ApplicationContext context, String name) {
    var all = context.getBean("purgatoryHealthContributor", CompositeHealthContributor.class);
    return requireNonNull(requireNonNull((HealthIndicator) all.getContributor(name)).health());
  }

  @Test
  void health_canBeDisabled() {
    runner
        .withPropertyValues(
            "purgatory.instances.polls=", "management.health.purgatory.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("purgatoryHealthContributor"));
  }

  @Test
  void withoutActuatorAndWeb_theContextStarts() {
    new ApplicationContextRunner()
        .withUserConfiguration(Application.class)
        .withPropertyValues("purgatory.instances.polls=")
        .withClassLoader(
            new FilteredClassLoader("org.springframework.boot.health", "org.springframework.web"))
        .run(context -> assertThat(context).hasNotFailed().hasBean("polls"));
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    PurgatoryAutoConfiguration.class,
    PurgatoryHealthAutoConfiguration.class,
    PurgatoryWebMvcAutoConfiguration.class
  })
  static class Application {}

  @Test
  void customizers_areCalledWithEachName() {
    List<String> names = new ArrayList<>();
    runner
        .withPropertyValues("purgatory.instances.polls=", "purgatory.instances.acks=")
        .withBean(PurgatoryCustomizer.class, () -> (name, builder) -> names.add(name))
        .run(context -> assertThat(names).containsExactlyInAnyOrder("polls", "acks"));
  }

  @Test
  void injection_byParameterName_withKeysOfAnyType() {
    runner
        .withPropertyValues("purgatory.instances.polls=", "purgatory.instances.acks=")
        .withUserConfiguration(Services.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(Service.class).polls).isSameAs(context.getBean("polls"));
              assertThat(context.getBean(Service.class).acks).isSameAs(context.getBean("acks"));
            });
  }

  record Service(Purgatory<String> polls, Purgatory<Long> acks) {}

  @Configuration(proxyBeanMethods = false)
  static class Services {
    @Bean
    Service service(Purgatory<String> polls, Purgatory<Long> acks) {
      return new Service(polls, acks);
    }
  }
}

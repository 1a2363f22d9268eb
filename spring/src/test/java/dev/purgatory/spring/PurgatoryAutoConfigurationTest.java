package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.micrometer.PurgatoryMetrics;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.timer.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

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
              var first = acks.until(() -> null).weight(10).orTimeout(Duration.ofMinutes(1));
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

  @ParameterizedTest
  @ValueSource(strings = {"5s", "200000d"}) // the latter has more nanoseconds than a long
  void outcomesOfClosing_areCountedBeforeTheRegistryIsClosed(String closeTimeout) {
    AtomicLong published = new AtomicLong();
    MeterRegistry registry =
        new SimpleMeterRegistry() {
          @Override
          public void close() {
            if (!isClosed()) {
              published.set(get("purgatory.held").tag("outcome", "closed").timer().count());
            }
            super.close();
          }
        };
    runner
        .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
        .withPropertyValues("purgatory.instances.polls=", "purgatory.close-timeout=" + closeTimeout)
        .withBean(MeterRegistry.class, () -> registry)
        .run(
            context -> {
              hold(purgatory(context, "polls"), "a");
              context.close();
              assertThat(published).hasValue(1);
            });
  }

  @Test
  @Timeout(60)
  void closing_takesNoLongerThanItsLimit() {
    CountDownLatch never = new CountDownLatch(1);
    runner
        .withPropertyValues(
            "purgatory.instances.polls=",
            "purgatory.instances.acks=",
            "purgatory.close-timeout=100ms")
        .run(
            context -> {
              HeldFuture<String> stuck = hold(purgatory(context, "polls"), "a");
              HeldFuture<String> other = hold(purgatory(context, "acks"), "a");
              AtomicBoolean interrupted = new AtomicBoolean();
              var end = stuck.whenComplete((value, error) -> interrupted.set(!await(never)));
              context.close();
              assertThat(other.outcome()).isEqualTo(Outcome.CLOSED);
              assertThat(end).isNotDone();
              never.countDown(); // nothing interrupts it
              assertThat(end).failsWithin(Duration.ofSeconds(30));
              assertThat(interrupted).isFalse();
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
              Health stuck = awaitHealth(context, Status.DOWN);
              assertThat(stuck.getDetails())
                  .containsEntry("pending", 1L)
                  .containsEntry("oldest", "PT11S");
              held.cancel(false);
              awaitHealth(context, Status.UP);
            });
  }

  /** It looks again at once, unless the last look took over 10 ms. */
  private static Health awaitHealth(ApplicationContext context, Status status) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    Health health = health(context, "polls");
    while (!health.getStatus().equals(status) && System.nanoTime() < end) {
      Thread.onSpinWait();
      health = health(context, "polls");
    }
    assertThat(health.getStatus()).isEqualTo(status);
    return health;
  }

  @Test
  void oldestRequest_restsAfterALongVisit() {
    VirtualTime time = VirtualTime.create();
    Purgatory<String> polls = time.purgatory("polls", String.class);
    AtomicLong now = new AtomicLong();
    AtomicLong visit = new AtomicLong(Duration.ofMillis(100).toNanos());
    OldestRequest oldest = new OldestRequest(polls, () -> now.getAndAdd(visit.get()));
    assertThat(oldest.age()).isNull();
    hold(polls, "a");
    now.set(Duration.ofMillis(9999).toNanos());
    assertThat(oldest.age()).isNull();
    now.set(Duration.ofSeconds(10).toNanos());
    visit.set(0);
    assertThat(oldest.age()).isZero();
    time.advance(Duration.ofSeconds(1));
    assertThat(oldest.age()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void contextsWithTheSameName_shareARegistry() {
    MeterRegistry registry = new SimpleMeterRegistry();
    var named =
        runner
            .withPropertyValues("purgatory.instances.polls=")
            .withBean(MeterRegistry.class, () -> registry);
    named.run(
        first ->
            named.run(
                second -> {
                  assertThat(second).hasNotFailed();
                  hold(purgatory(second, "polls"), "a");
                  assertThat(pending(registry, "polls")).isZero();
                  assertThat(pending(registry, "polls-2")).isEqualTo(1);
                }));
    assertThat(registry.getMeters()).isEmpty();
  }

  private static double pending(MeterRegistry registry, String name) {
    return registry.get("purgatory.pending").tag("name", name).gauge().value();
  }

  @Test
  void purgatoriesOfTheApplication_haveGauges() {
    MeterRegistry registry = new SimpleMeterRegistry();
    new ApplicationContextRunner() // without health, which needs lazy beans, too
        .withConfiguration(AutoConfigurations.of(PurgatoryAutoConfiguration.class))
        .withUserConfiguration(OwnPurgatories.class)
        .withBean(MeterRegistry.class, () -> registry)
        .run(
            context -> {
              assertThat(names(registry)).containsExactlyInAnyOrder("acks", "measured");
              assertThat(registry.find("purgatory.held").tag("name", "acks").timers()).isEmpty();
              hold(purgatory(context, "acks"), "a");
              assertThat(pending(registry, "acks")).isEqualTo(1);
              purgatory(context, "lazy");
              assertThat(names(registry)).contains("lazy");
            });
    assertThat(names(registry)).containsExactly("measured"); // whose metrics nobody has closed
  }

  private static Set<String> names(MeterRegistry registry) {
    return registry.find("purgatory.pending").gauges().stream()
        .map(gauge -> requireNonNull(gauge.getId().getTag("name")))
        .collect(Collectors.toSet());
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnPurgatories {
    @Bean
    Purgatory<String> acks() {
      return Purgatory.builder("acks", String.class).build();
    }

    @Bean
    @Lazy
    Purgatory<String> lazy() {
      return Purgatory.builder("lazy", String.class).build();
    }

    @Bean
    Purgatory<String> measuredByItself(MeterRegistry registry) {
      return new PurgatoryMetrics(registry, "measured")
          .bind(Purgatory.builder("measured", String.class));
    }
  }

  private static Health health(ApplicationContext context, String name) {
    var all = context.getBean("purgatoryHealthContributor", CompositeHealthContributor.class);
    return requireNonNull(requireNonNull((HealthIndicator) all.getContributor(name)).health());
  }

  @Test
  void namesWithSlashes_areInTheHealth_withoutThem() {
    runner
        .withPropertyValues("purgatory.instances[a/b%].unhealthy-after=10s")
        .withBean(
            "polls/v2", Purgatory.class, () -> Purgatory.builder("polls", String.class).build())
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean("a/b%");
              assertThat(health(context, "a%2Fb%25").getStatus()).isEqualTo(Status.UP);
              assertThat(health(context, "polls%2Fv2").getStatus()).isEqualTo(Status.UP);
            });
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
            new FilteredClassLoader(
                "dev.purgatory.console",
                "org.springframework.boot.actuate",
                "org.springframework.boot.health",
                "org.springframework.web"))
        .run(context -> assertThat(context).hasNotFailed().hasBean("polls"));
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    PurgatoryAutoConfiguration.class,
    PurgatoryConsoleAutoConfiguration.class,
    PurgatoryEndpointAutoConfiguration.class,
    PurgatoryHealthAutoConfiguration.class,
    PurgatoryWebMvcAutoConfiguration.class
  })
  static class Application {}

  @Test
  void observations_areMadeOnlyWhereTheyAreAskedFor() {
    ObservationRegistry observations = ObservationRegistry.create();
    List<String> names = new ArrayList<>();
    ObservationHandler<Observation.Context> handler =
        context -> {
          names.add(context.getLowCardinalityKeyValues().toString());
          return true;
        };
    observations.observationConfig().observationHandler(handler);
    runner
        .withPropertyValues(
            "purgatory.instances.polls.observations=true", "purgatory.instances.acks=")
        .withBean(ObservationRegistry.class, () -> observations)
        .run(
            context -> {
              hold(purgatory(context, "acks"), "a");
              assertThat(names).isEmpty();
              hold(purgatory(context, "polls"), "a");
              assertThat(names).isNotEmpty();
            });
  }

  @Test
  void observationsWithoutARegistry_failTheStart() {
    runner
        .withPropertyValues("purgatory.instances.polls.observations=true")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("ObservationRegistry"));
  }

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

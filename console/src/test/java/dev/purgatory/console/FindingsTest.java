package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.testkit.VirtualTime;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link FindingTest} has the rules. */
class FindingsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final VirtualTime time = VirtualTime.create();
  private final Purgatory<String> polls =
      time.builder("polls", String.class)
          .diagnostics(new Diagnostics())
          .limit(Limit.builder("clients").requests(20).build())
          .completionExecutor(Runnable::run)
          .build();
  private final Findings findings = new Findings(List.of(polls), () -> time.now().toNanos());

  @AfterEach
  void close() {
    polls.close();
    time.close();
  }

  private List<String> kinds() {
    return findings.find(String::valueOf).stream().map(Finding::kind).toList();
  }

  private void poll(boolean signals) {
    AtomicBoolean ready = new AtomicBoolean();
    for (int i = 0; i < 3; i++) {
      assertThat(polls.until(() -> ready.get() ? 1 : null).orTimeout(LIMIT).hold("orders"))
          .isNotDone();
    }
    ready.set(true);
    if (signals) {
      assertThat(polls.signal("orders")).isEqualTo(3);
    }
    time.advance(LIMIT);
    assertThat(polls.pending()).isZero();
  }

  @Test
  void healthyPurgatory_hasNoFindings() {
    poll(true);
    assertThat(kinds()).isEmpty();
    time.advance(Duration.ofMinutes(2));
    poll(true);
    assertThat(kinds()).isEmpty();
  }

  @Test
  void keyThatNobodySignals_isFound_andGoneAMinuteAfterItIsMended() {
    poll(false);
    List<String> log = new ArrayList<>();
    // sample: findings
    for (Finding each : findings.find(String::valueOf)) {
      log.add(each.toString());
    }
    // end
    assertThat(log)
        .singleElement()
        .asString()
        .startsWith("polls: Nobody signals orders. 3 of 3 ended requests");
    time.advance(Duration.ofSeconds(59));
    assertThat(kinds()).containsExactly("missed-signal");
    time.advance(Duration.ofSeconds(1));
    poll(true);
    assertThat(kinds()).isEmpty();
    poll(false);
    assertThat(kinds()).containsExactly("missed-signal");
  }

  private static Sampler sampler(Purgatory<?> of, boolean showsKeys, LongSupplier clock) {
    return new Sampler(
        List.of(of), new Registries(Map.of(), Map.of()), Map.of(), showsKeys, clock, 1_000);
  }

  @Test
  void signalsThatFindNobody_areFound_asThePageDoes_alsoWhileItIsOpen() throws Exception {
    Duration minutes = Duration.ofMinutes(3);
    try (Purgatory<Object> others =
        time.builder("others", Object.class).diagnostics(new Diagnostics()).build()) {
      Sampler page = sampler(others, /* showsKeys= */ false, () -> time.now().toNanos());
      Findings same = new Findings(List.of(others), () -> time.now().toNanos());
      assertThat(others.untilCompleted().forever().hold(7L)).isNotDone();
      time.advance(minutes);
      assertThat(same.find(String::valueOf)).isEmpty();
      time.advance(minutes);
      for (int i = 0; i < 3; i++) {
        assertThat(others.signal(7)).isZero();
      }
      time.advance(minutes);
      assertThat(same.find(String::valueOf))
          .extracting(Finding::title)
          .containsExactly("Signals do not find the requests on 7");

      assertThat(page.sample()).isNotEmpty();
      for (int i = 0; i < 3; i++) {
        assertThat(others.signal(7)).isZero();
      }
      time.advance(Duration.ofSeconds(1));
      assertThat(new String(page.sample(), StandardCharsets.UTF_8)).contains("unequal-keys");
      assertThat(same.find(String::valueOf)).as("while the page is open").hasSize(1);
    }
  }

  /** Else nobody would look any more. */
  @Test
  void lookThatFails_isFollowedByTheNext() {
    AtomicBoolean fails = new AtomicBoolean();
    Sampler console =
        sampler(
            polls,
            /* showsKeys= */ true,
            () -> {
              if (fails.get()) {
                throw new OutOfMemoryError("expected");
              }
              return time.now().toNanos();
            });
    fails.set(true);
    assertThat(console.watch()).isPositive();
    fails.set(false);
    assertThat(console.watch()).isPositive();
    console.close();
  }

  /** Reads the log by reflection, as the module does not require java.logging. */
  @Test
  void findingThatAppears_isLoggedOnce_withoutAPage() throws Exception {
    List<String> log = new CopyOnWriteArrayList<>();
    Class<?> filter = Class.forName("java.util.logging.Filter");
    Class<?> loggers = Class.forName("java.util.logging.Logger");
    Object logger =
        requireNonNull(
            loggers.getMethod("getLogger", String.class).invoke(null, "dev.purgatory.console"));
    Method setFilter = loggers.getMethod("setFilter", filter);
    setFilter.invoke(
        logger,
        Proxy.newProxyInstance(
            filter.getClassLoader(),
            new Class<?>[] {filter},
            (proxy, method, arguments) -> {
              Method message = arguments[0].getClass().getMethod("getMessage");
              log.add(String.valueOf(message.invoke(arguments[0])));
              return false;
            }));
    Sampler console = sampler(polls, /* showsKeys= */ true, () -> time.now().toNanos());
    try {
      console.watch();
      assertThat(log).isEmpty();
      poll(false);
      for (int i = 0; i < 3; i++) {
        assertThat(console.watch()).isGreaterThanOrEqualTo(Duration.ofSeconds(10).toNanos());
        time.advance(Duration.ofSeconds(10));
      }
      assertThat(log)
          .singleElement()
          .asString()
          .startsWith("polls: Nobody signals orders. 3 of 3 ended requests");
    } finally {
      setFilter.invoke(logger, (Object) null);
      console.close();
    }
  }

  @Test
  void whatTakesTwoLooks_isFoundASecondLater_howeverOftenOneLooks() {
    for (int i = 0; i < 20; i++) {
      assertThat(polls.untilCompleted().forever().hold("a" + i)).isNotDone();
    }
    assertThat(kinds()).isEmpty();
    time.advance(Duration.ofMillis(999));
    assertThat(kinds()).isEmpty();
    time.advance(Duration.ofMillis(1));
    for (int i = 0; i < 10; i++) {
      assertThat(kinds()).containsExactly("full-limit");
      time.advance(Duration.ofMillis(300));
    }
  }

  @Test
  @Timeout(120)
  void requestsAndKeys_areNotKept() throws InterruptedException {
    List<WeakReference<?>> ended = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String key = "key " + i;
      HeldFuture<Object> held = polls.untilCompleted().orTimeout(LIMIT).hold(key);
      ended.add(new WeakReference<>(key));
      ended.add(new WeakReference<>(held));
    }
    assertThat(kinds()).isEmpty();
    time.advance(LIMIT.plusSeconds(2));
    while (ended.stream().anyMatch(each -> each.get() != null)) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(kinds()).isEmpty();
  }

  @Test
  void keys_haveTheGivenName() {
    poll(false);
    assertThat(findings.find(key -> "a key"))
        .extracting(Finding::title)
        .containsExactly("Nobody signals a key");
  }
}

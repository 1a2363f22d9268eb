package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Signals keys that nobody can wait for, mends that, and signals as healthy programs do. */
class SignalLogTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final VirtualTime time = VirtualTime.create();
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<Object> polls =
      time.builder("polls", Object.class).diagnostics(diagnostics).build();
  private final Sampler page =
      new Sampler(
          List.of(polls),
          new Registries(Map.of(), Map.of()),
          Map.of(),
          /* showsKeys= */ true,
          () -> time.now().toNanos(),
          1_000);

  @AfterEach
  void close() {
    page.close();
    polls.close();
    time.close();
  }

  /** Returns the text of the findings that the page shows now. */
  @SuppressWarnings("unchecked")
  private List<String> findings() throws Exception {
    List<String> shown = new ArrayList<>();
    for (Object each : (List<Object>) Objects.requireNonNull(program().get("findings"))) {
      Map<String, Object> finding = (Map<String, Object>) each;
      shown.add(finding.get("kind") + ": " + finding.get("title") + ". " + finding.get("evidence"));
    }
    return shown;
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> program() throws Exception {
    Map<String, Object> sample = JSON.std.mapFrom(page.sample());
    return ((List<Map<String, Object>>) Objects.requireNonNull(sample.get("programs"))).get(0);
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> seen() throws Exception {
    return ((List<Map<String, Object>>) Objects.requireNonNull(program().get("purgatories")))
        .get(0);
  }

  private void hold(Object key) {
    assertThat(polls.until(() -> null).forever().hold(key)).isNotDone();
  }

  /** Signals a key in each of some seconds, with the page open. */
  private List<String> signal(int seconds, Supplier<Object> key) throws Exception {
    time.advance(SECOND);
    findings();
    for (int i = 0; i < seconds; i++) {
      time.advance(SECOND);
      assertThat(polls.signal(key.get())).isZero();
      findings();
    }
    time.advance(SECOND);
    return findings();
  }

  private static final class Plain {
    private final String name;

    Plain(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return "plain " + name;
    }
  }

  /** Has no constant hash code, which is a mistake. */
  private static final class Moving {
    private int hash;

    Moving(int hash) {
      this.hash = hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Moving;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public String toString() {
      return "moving";
    }
  }

  @Test
  void keyOfAnotherType_isFound_untilItIsMended() throws Exception {
    hold(5L);
    hold("other");
    assertThat(signal(4, () -> 5))
        .singleElement()
        .asString()
        .startsWith("unequal-keys: Signals do not find the requests on 5. 4 signals")
        .contains("you signal a java.lang.Integer and hold on a java.lang.Long");
    time.advance(Duration.ofMinutes(1));
    assertThat(signal(4, () -> 5L)).as("mended").isEmpty();
  }

  /** A condition that signals itself does so millions of times. */
  @Test
  void keyOfAnotherType_isFound_besideAFloodOfSignals() throws Exception {
    hold(5L);
    hold("flooded");
    assertThat(
            signal(
                4,
                () -> {
                  for (int i = 0; i < 2_000; i++) {
                    assertThat(polls.signal("flooded")).isZero();
                  }
                  return 5;
                }))
        .anyMatch(each -> each.startsWith("unequal-keys: Signals do not find the requests on 5."));
  }

  @Test
  void keyWithoutEquals_isFound_untilItIsMended() throws Exception {
    hold(new Plain("a"));
    assertThat(signal(4, () -> new Plain("a")))
        .singleElement()
        .asString()
        .contains("Plain does not define equals and hashCode");
  }

  @Test
  void array_isFound() throws Exception {
    hold(new byte[] {1, 2});
    assertThat(signal(4, () -> new byte[] {1, 3})).as("another one").isEmpty();
    assertThat(signal(4, () -> new byte[] {1, 2}))
        .singleElement()
        .asString()
        .contains("an array is equal to itself only");
  }

  @Test
  void keyThatHasChanged_isFound() throws Exception {
    Moving key = new Moving(0);
    hold(key);
    key.hash = 1;
    assertThat(signal(4, () -> key)).singleElement().asString().contains("the key has changed");
    assertThat(signal(4, () -> new Moving(2)))
        .singleElement()
        .asString()
        .contains("the two are equal, and their hash codes are not");
  }

  /** A poll that is answered at its limit, since the signal is for another key. */
  private void append(Object waitsFor, Object signalled) throws Exception {
    AtomicReference<@Nullable String> message = new AtomicReference<>();
    HeldFuture<String> poll = polls.until(message::get).orTimeout(LIMIT).hold(waitsFor);
    time.advance(SECOND);
    message.set("x");
    polls.signal(signalled);
    time.advance(LIMIT);
    assertThat(poll).isCompletedWithValue("x");
  }

  @Test
  void wrongKey_isFoundBesideTheMissedSignals_untilItIsMended() throws Exception {
    assertThat(findings()).isEmpty();
    for (int i = 0; i < 4; i++) {
      append("orders", "order");
    }
    assertThat(findings())
        .hasSize(2)
        .anyMatch(each -> each.startsWith("missed-signal: Nobody signals orders"))
        .anyMatch(
            each ->
                each.startsWith("unheard-signals: ")
                    && each.contains("4 of 4 signals")
                    && each.contains("as for order;")
                    && each.contains("as on orders."));
    for (int i = 0; i < 12; i++) {
      append("orders", "orders");
      findings();
    }
    assertThat(findings()).as("mended, and a minute later").isEmpty();
  }

  @Test
  void signalsForKeysOnWhichNobodyWaits_areNoFinding() throws Exception {
    for (int i = 0; i < 30; i++) {
      hold("quiet-" + i);
    }
    for (int second = 0; second < 70; second++) {
      for (int i = 0; i < 50; i++) {
        assertThat(polls.signal("busy-" + i)).isZero();
      }
      time.advance(SECOND);
      assertThat(findings()).isEmpty();
    }
  }

  @Test
  void requestsThatComeAfterASignal_andKeysThatLookAlike_areNoFinding() throws Exception {
    record Place(String name, int room) {
      @Override
      public String toString() {
        return name; // not the room
      }
    }
    hold(new Place("a", 1));
    assertThat(signal(5, () -> new Place("a", 2))).as("another room").isEmpty();
    for (int i = 0; i < 5; i++) {
      assertThat(signal(2, () -> "late")).isEmpty();
    }
    hold("late");
    time.advance(SECOND);
    assertThat(findings()).as("it came afterwards").isEmpty();
  }

  @Test
  void keys_haveTheirLastSignal_evenIfItAnsweredAll() throws Exception {
    HeldFuture<String> held = polls.<String>until(() -> null).forever().hold("a");
    hold("quiet");
    assertThat(signal(1, () -> "a")).isEmpty();
    assertThat(row("a")).containsEntry("signalledMillis", 2000).containsEntry("completed", 0);
    assertThat(row("quiet")).containsEntry("signalledMillis", null);
    assertThat(held.cancel(false)).isTrue();

    AtomicReference<@Nullable String> message = new AtomicReference<>();
    assertThat(polls.until(message::get).forever().hold("a")).isNotDone();
    message.set("x");
    assertThat(polls.signal("a")).isOne();
    hold("a");
    assertThat(polls.signal("nobody")).isZero();
    time.advance(SECOND);
    assertThat(row("a")).containsEntry("signalledMillis", 1000).containsEntry("completed", 1);
    assertThat(seen().get("signals"))
        .isEqualTo(Map.of("seconds", 3, "observed", 3, "unheard", 1, "keys", List.of("nobody")));
  }

  @Test
  void manySignals_areOfFewerSeconds_andTheEvidenceSaysOfHowMany() throws Exception {
    hold(5L);
    assertThat(findings()).isEmpty();
    List<String> found = List.of();
    for (int second = 0; second < 10; second++) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(polls.signal(5)).isZero();
      }
      time.advance(SECOND);
      found = findings();
    }
    assertThat(found).singleElement().asString().contains("5,000 signals of the last 5 s were");
    assertThat(seen().get("signals")).asString().contains("seconds=5", "observed=5000");
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> row(String key) throws Exception {
    return ((List<Map<String, Object>>) Objects.requireNonNull(seen().get("keys")))
        .stream().filter(row -> key.equals(row.get("key"))).findFirst().orElseThrow();
  }

  @Test
  void nothingIsKept_whenTheConsoleIsClosed() throws Exception {
    assertThat(findings()).isEmpty();
    assertThat(polls.signal("a")).isZero();
    page.close();
    assertThat(polls.signal("b")).isZero();
    assertThat(seen().get("signals")).asString().contains("observed=0");
    assertThat(polls.signal("c")).isZero();
    time.advance(SECOND);
    assertThat(seen().get("signals")).asString().contains("observed=1");
  }

  @Test
  void keysThatThrow_areLeftOut() throws Exception {
    Object hostile =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException();
          }
        };
    hold("a");
    assertThat(signal(4, () -> hostile)).isEmpty();
    assertThat(Arrays.asList(seen().get("signals")).toString()).contains("toString threw");
  }
}

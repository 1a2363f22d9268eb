package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Story.Event;
import dev.purgatory.Story.Kind;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<String> polls =
      Purgatory.builder("polls")
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .diagnostics(diagnostics)
          .build();
  private final AtomicReference<@Nullable String> data = new AtomicReference<>();
  private Supplier<@Nullable String> condition = data::get;

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private HeldFuture<String> poll() {
    return polls.until(() -> condition.get()).orTimeout(LIMIT).hold("a");
  }

  private Story follow(Object operation) {
    return requireNonNull(diagnostics.follow(operation));
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  private void passSecond() {
    pass(Duration.ofSeconds(1));
  }

  private static boolean isCollected(WeakReference<?> reference) {
    System.gc();
    return reference.get() == null;
  }

  private static Event event(
      Kind kind, int seconds, @Nullable Object reason, @Nullable Duration left) {
    String thread = kind == Kind.HELD ? null : Thread.currentThread().getName();
    return new Event(kind, Duration.ofSeconds(seconds), thread, reason, left, null, null);
  }

  private static Event ended(int seconds, @Nullable Duration left, Outcome outcome) {
    String thread = Thread.currentThread().getName();
    return new Event(Kind.ENDED, Duration.ofSeconds(seconds), thread, null, left, outcome, null);
  }

  @Test
  void story_hasChecksMovesAndTheEnd_andWhatIsKnownFromBefore() {
    HeldFuture<String> future = poll();
    passSecond();
    assertThat(polls.signal("a", "early")).isZero();
    passSecond();
    Story story = follow(future);
    assertThat(story.outcome()).isNull();
    assertThat(polls.signal("a", "append")).isZero();
    passSecond();
    assertThat(future.reschedule(Duration.ofSeconds(10))).isTrue();
    passSecond();
    assertThat(future.registration().cancelTimeout()).isTrue();
    assertThat(future.reschedule(Duration.ofSeconds(5))).isFalse();
    data.set("value");
    assertThat(polls.signal("a", "commit")).isOne();
    assertThat(future).isCompletedWithValue("value");
    assertThat(story.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(story.leftOut()).as("the two checks before it was held").isEqualTo(2);
    assertThat(story.events())
        .containsExactly(
            event(Kind.HELD, 0, null, LIMIT),
            new Event(Kind.NOT_READY, Duration.ofSeconds(1), null, "early", null, null, null),
            event(Kind.NOT_READY, 2, "append", null),
            event(Kind.MOVED, 3, null, Duration.ofSeconds(10)),
            event(Kind.MOVED, 4, null, null),
            event(Kind.READY, 4, "commit", null),
            ended(4, null, Outcome.COMPLETED));
    assertThat(story).hasToString("Story" + story.events());
  }

  @Test
  void timeout_isTheReasonOfTheLastCheck_andSaysHowLateItWas() {
    HeldFuture<String> future = poll();
    Story story = follow(future);
    assertThat(future.reschedule(Duration.ofSeconds(2))).isTrue();
    pass(Duration.ofSeconds(3));
    assertThat(future).isCompletedExceptionally();
    List<Event> events = story.events();
    assertThat(events.subList(2, events.size()))
        .containsExactly(
            event(Kind.MOVED, 0, null, Duration.ofSeconds(2)),
            event(Kind.NOT_READY, 3, Registration.TIMEOUT, null),
            ended(3, Duration.ofSeconds(-1), Outcome.TIMED_OUT));
    assertThat(Registration.TIMEOUT).hasToString("the timeout");
  }

  @Test
  void conditionThatThrows_isTold_withWhatItThrew() {
    IllegalStateException error = new IllegalStateException("broken");
    HeldFuture<String> future = poll();
    Story story = follow(future);
    condition =
        () -> {
          throw error;
        };
    assertThat(polls.signal("a")).isZero();
    assertThat(future).isCompletedExceptionally();
    assertThat(story.events())
        .extracting(Event::kind)
        .containsExactly(Kind.HELD, Kind.NOT_READY, Kind.THREW, Kind.ENDED);
    assertThat(story.events().subList(2, 4)).extracting(Event::error).containsOnly(error);
    assertThat(story.outcome()).isEqualTo(Outcome.FAILED);
  }

  /** The ending thread, not the one that is busy with the condition and answers later. */
  @Test
  void end_duringACheck_isOfTheThreadThatEndedIt_andComesLast() {
    HeldFuture<String> future = poll();
    Story story = follow(future);
    condition =
        () -> {
          Threads.start(() -> future.cancel(false));
          Threads.until(future::isDone);
          return null;
        };
    assertThat(polls.signal("a")).isZero();
    assertThat(story.events())
        .extracting(Event::kind)
        .containsExactly(Kind.HELD, Kind.NOT_READY, Kind.ENDED);
    assertThat(story.events().get(2).thread()).isEqualTo("test");
    assertThat(story.events().get(2).outcome()).isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void newestEvents_areKept_andOthersCounted() {
    HeldFuture<String> future = poll();
    Story story = follow(future);
    for (int i = 0; i < 1_000; i++) {
      assertThat(polls.signal("a", i)).isZero();
    }
    assertThat(future.complete("x")).isTrue();
    List<Event> events = story.events();
    assertThat(events).hasSize(101);
    assertThat(events.get(0).kind()).isEqualTo(Kind.HELD);
    assertThat(events.get(1).reason()).isEqualTo(901);
    assertThat(events.get(99).reason()).isEqualTo(999);
    assertThat(events.get(100).outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(story.leftOut()).as("with the first two").isEqualTo(1_002 - 99);
  }

  @Test
  void followingAgain_goesOnWithTheSameStory() {
    HeldFuture<String> future = poll();
    Story story = follow(future);
    assertThat(diagnostics.follow(future)).isSameAs(story);
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(diagnostics.follow(operation)).as("not held yet").isNull();
    assertThat(polls.hold(operation, "a")).isFalse();
    assertThat(follow(operation)).isNotSameAs(story);
    assertThat(polls.cancelForKey("a")).hasSize(2);
    assertThat(story.events()).hasSize(3);
    assertThat(follow(future).events()).as("it has ended").isEmpty();
    assertThat(follow(future).outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(diagnostics.follow("something else")).isNull();
  }

  @Test
  void requestWithoutDiagnostics_hasNoStory() {
    try (Purgatory<String> plain = Purgatory.builder("plain").timer(timer).build()) {
      HeldFuture<String> future = plain.<String>untilCompleted().forever().hold("a");
      assertThat(diagnostics.follow(future)).isNull();
      assertThat(future.cancel(false)).isTrue();
    }
  }

  @Test
  void storyThatIsKept_keepsNoRequest() {
    Object[] tag = {new Object()};
    Story story = follow(polls.untilCompleted().tag(tag[0]).forever().hold("a"));
    WeakReference<Object> reference = new WeakReference<>(tag[0]);
    tag[0] = "";
    assertThat(polls.cancelForKey("a")).hasSize(1);
    Threads.until(() -> isCollected(reference));
    assertThat(story.outcome()).isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void storyThatNobodyReads_isNotKept_andBeginsAnewIfItIsWantedAgain() {
    HeldFuture<String> future = poll();
    WeakReference<Story> reference = new WeakReference<>(follow(future));
    Threads.until(() -> isCollected(reference));
    assertThat(polls.signal("a", "unseen")).isZero();
    Story story = follow(future);
    assertThat(story.events()).hasSize(2);
    assertThat(story.events().get(1).reason()).isEqualTo("unseen");
    assertThat(story.leftOut()).isEqualTo(2);
    assertThat(future.complete("x")).isTrue();
    assertThat(story.events()).hasSize(3);
  }

  @Test
  void followingMeetsTheEnd_andTheStoryTellsIt() throws Exception {
    Threads.repeat(
        500,
        round -> {
          HeldFuture<String> future = poll();
          AtomicReference<@Nullable Story> story = new AtomicReference<>();
          Threads.race(
              () -> future.complete("x"),
              () -> polls.signal("a"),
              () -> story.set(diagnostics.follow(future)));
          Story told = requireNonNull(story.get());
          assertThat(told.outcome()).isEqualTo(Outcome.COMPLETED);
          assertThat(told.events().stream().filter(each -> each.kind() == Kind.ENDED).count())
              .isEqualTo(told.events().isEmpty() ? 0 : 1);
        });
  }
}

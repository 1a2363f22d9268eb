package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.HeldRequest;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.console.Story.Event;
import dev.purgatory.console.Story.Kind;
import dev.purgatory.testkit.VirtualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final VirtualTime time = VirtualTime.create();
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<String> polls =
      time.builder("polls", String.class).diagnostics(diagnostics).build();
  private final AtomicReference<@Nullable String> data = new AtomicReference<>();
  private Supplier<@Nullable String> condition = data::get;

  @AfterEach
  void close() {
    polls.close();
    time.close();
  }

  private HeldFuture<String> poll() {
    return polls.until(() -> condition.get()).orTimeout(LIMIT).hold("a");
  }

  /** Opens the request that is held on a. */
  private Story open() {
    HeldRequest<String> request = polls.inspect().held().get(0);
    Story story = new Story(request, time.now().toNanos(), () -> time.now().toNanos());
    diagnostics.addObserver(story);
    story.begin(diagnostics);
    return story;
  }

  private void passSecond() {
    time.advance(Duration.ofSeconds(1));
  }

  private static Event event(
      Kind kind, int seconds, @Nullable Object reason, @Nullable Duration left) {
    String thread = kind == Kind.HELD ? null : Thread.currentThread().getName();
    return new Event(kind, TimeUnit.SECONDS.toNanos(seconds), thread, reason, left, null, null);
  }

  private static Event ended(int seconds, @Nullable Duration left, Outcome outcome) {
    String thread = Thread.currentThread().getName();
    long at = TimeUnit.SECONDS.toNanos(seconds);
    return new Event(Kind.ENDED, at, thread, null, left, outcome, null);
  }

  @Test
  void story_hasChecksAndTheEnd_andWhatIsKnownFromBefore() {
    HeldFuture<String> future = poll();
    passSecond();
    assertThat(polls.signal("a", "early")).isZero();
    passSecond();
    Story story = open();
    assertThat(story.outcome()).isNull();
    assertThat(story.isOver()).isFalse();
    assertThat(polls.signal("a", "append")).isZero();
    passSecond();
    data.set("value");
    assertThat(polls.signal("a", "commit")).isOne();
    assertThat(future).isCompletedWithValue("value");
    assertThat(story.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(story.isOver()).isTrue();
    assertThat(story.leftOut()).as("the two checks when it came").isEqualTo(2);
    assertThat(story.events())
        .containsExactly(
            event(Kind.HELD, 0, null, LIMIT),
            new Event(Kind.NOT_READY, 1_000_000_000, null, "early", null, null, null),
            event(Kind.NOT_READY, 2, "append", null),
            event(Kind.READY, 3, "commit", null),
            ended(3, null, Outcome.COMPLETED));
  }

  @Test
  void timeout_isTheReasonOfTheLastCheck_andSaysHowLateItWas() {
    HeldFuture<String> future = poll();
    Story story = open();
    time.advance(LIMIT);
    assertThat(future).isCompletedExceptionally();
    assertThat(story.events()).hasSize(4);
    assertThat(story.events().get(2).reason()).asString().isEqualTo("the timeout");
    assertThat(story.events().get(3).outcome()).isEqualTo(Outcome.TIMED_OUT);
  }

  @Test
  void conditionThatThrows_isTold_withWhatItThrew() {
    IllegalStateException error = new IllegalStateException("broken");
    HeldFuture<String> future = poll();
    Story story = open();
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

  @Test
  void endDuringACheck_comesLast() {
    AtomicReference<@Nullable HeldFuture<String>> held = new AtomicReference<>();
    held.set(poll());
    Story story = open();
    condition =
        () -> {
          HeldFuture<String> future = held.get();
          assertThat(future != null && future.cancel(false)).isTrue();
          return null;
        };
    assertThat(polls.signal("a")).isZero();
    assertThat(story.events())
        .extracting(Event::kind)
        .containsExactly(Kind.HELD, Kind.NOT_READY, Kind.NOT_READY, Kind.ENDED);
    assertThat(story.outcome()).isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void newestEvents_areKept_andOthersCounted() {
    HeldFuture<String> future = poll();
    Story story = open();
    for (int i = 0; i < 1_000; i++) {
      assertThat(polls.signal("a", i)).isZero();
    }
    assertThat(future.complete("x")).isTrue();
    assertThat(story.events()).hasSize(101);
    assertThat(story.events().get(0).kind()).isEqualTo(Kind.HELD);
    assertThat(story.events().get(1).reason()).isEqualTo(901);
    assertThat(story.events().get(99).reason()).isEqualTo(999);
    assertThat(story.events().get(100).outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(story.leftOut()).as("with the first two").isEqualTo(1_002 - 99);
  }

  @Test
  void requestThatHasEnded_isOver_evenIfItsEndIsUnknown() {
    HeldFuture<String> future = poll();
    HeldRequest<String> seen = polls.inspect().held().get(0);
    assertThat(future.cancel(false)).isTrue();
    assertThat(new Story(seen, 0, () -> 0).isOver()).isTrue();
    DelayedOperation operation =
        new DelayedOperation(LIMIT) {
          @Override
          protected boolean isReady() {
            return false;
          }

          @Override
          protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}
        };
    assertThat(polls.hold(operation, "a")).isFalse();
    Story story = open();
    assertThat(story.isOver()).isFalse();
    diagnostics.removeObserver(story);
    assertThat(operation.cancel()).isTrue();
    assertThat(story.isOver()).isTrue();
    assertThat(story.outcome()).isNull();
  }

  @Test
  void otherRequests_areNotPartOfIt() {
    HeldFuture<String> future = poll();
    Story story = open();
    assertThat(polls.<String>until(() -> null).orTimeout(LIMIT).hold("b")).isNotDone();
    assertThat(polls.signal("b")).isZero();
    assertThat(polls.cancelForKey("b")).hasSize(1);
    assertThat(story.events()).hasSize(2);
    assertThat(future).isNotDone();
  }

  @Test
  void storyThatIsKept_keepsNoRequest() throws Exception {
    Object[] tag = {new Object()};
    assertThat(polls.untilCompleted().tag(tag[0]).forever().hold("a")).isNotDone();
    Story story = open();
    WeakReference<Object> reference = new WeakReference<>(tag[0]);
    tag[0] = "";
    assertThat(polls.cancelForKey("a")).hasSize(1);
    for (int i = 0; i < 600 && reference.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(reference.get()).isNull();
    assertThat(story.outcome()).isEqualTo(Outcome.CANCELLED);
  }
}

package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Operations whose behaviour a test defines. */
class BehaviourTest {
  private final Purgatory<String> purgatory = Purgatory.builder("adapted", String.class).build();
  private final Adapter adapter = new Adapter(purgatory);

  private static final class Adapter extends Registration.Behaviour<AtomicBoolean> {
    private final List<Outcome> outcomes = new ArrayList<>();
    private Runnable onTimeoutNanos = () -> {};

    Adapter(Purgatory<?> purgatory) {
      super(purgatory.core());
    }

    Registration prepare(AtomicBoolean operation) {
      return new Registration(this, operation);
    }

    @Override
    protected long timeoutNanos(AtomicBoolean operation) {
      onTimeoutNanos.run();
      return Long.MAX_VALUE;
    }

    @Override
    boolean evaluate(AtomicBoolean operation, @Nullable Object reason) {
      return operation.get();
    }

    @Override
    void answer(AtomicBoolean operation, Outcome outcome, @Nullable Throwable cause) {
      outcomes.add(outcome);
    }
  }

  private static boolean hold(Purgatory<String> purgatory, Registration handle) {
    return purgatory.core().hold(handle, handle.behaviour(), List.of("k"), Terms.of(null));
  }

  @AfterEach
  void close() {
    purgatory.close();
  }

  @Test
  void operationBecomesReady_isCompleted() {
    AtomicBoolean operation = new AtomicBoolean();
    Registration handle = adapter.prepare(operation);
    assertThat(hold(purgatory, handle)).isFalse();
    operation.set(true);
    assertThat(purgatory.signal("k")).isEqualTo(1);
    assertThat(handle.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(adapter.outcomes).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void endedWhileBeingHeld_isNotCounted() {
    Registration handle = adapter.prepare(new AtomicBoolean());
    adapter.onTimeoutNanos = () -> handle.endForUser(Outcome.CANCELLED, null);
    assertThat(hold(purgatory, handle)).isFalse();
    assertThat(adapter.outcomes).containsExactly(Outcome.CANCELLED);
    assertThat(purgatory.pending()).isZero();
    assertThat(purgatory.inspect().watched()).isZero();
  }

  /** Records when it ends. */
  private static class Ending extends Attachment {
    private final List<String> ended;
    private final String name;

    Ending(List<String> ended, String name) {
      this.ended = ended;
      this.name = name;
    }

    @Override
    void end() {
      ended.add(name);
    }
  }

  @Test
  void attachments_endOnce_whetherTheyCameBeforeOrAfterTheEnd() {
    List<String> ended = new ArrayList<>();
    Registration handle = adapter.prepare(new AtomicBoolean());
    hold(purgatory, handle);
    handle.attach(new Ending(ended, "before"));
    assertThat(ended).isEmpty();
    assertThat(handle.endForUser(Outcome.CANCELLED, null)).isTrue();
    assertThat(ended).containsExactly("before");
    handle.attach(new Ending(ended, "after"));
    assertThat(ended).containsExactly("before", "after");
  }

  @Test
  void attachmentThatThrows_whileASignalIsEvaluatedForAnotherThread_keepsNoRequest() {
    List<String> ended = new ArrayList<>();
    AtomicBoolean signals = new AtomicBoolean();
    HeldFuture<String> future =
        purgatory
            .<String>until(
                () -> {
                  if (signals.getAndSet(false)) {
                    assertThat(purgatory.signal("k")).isZero(); // this thread evaluates once more
                  }
                  return null;
                })
            .forever()
            .hold("k");
    future
        .registration()
        .attach(
            new Ending(ended, "released") {
              @Override
              void evaluated(@Nullable Object reason, boolean ready, @Nullable Throwable error) {
                throw new IllegalStateException("expected");
              }
            });
    signals.set(true);
    assertThat(purgatory.signal("k")).isZero();
    assertThat(signals).isFalse();
    assertThat(future.cancel(false)).isTrue();
    assertThat(purgatory.pending()).isZero();
    assertThat(ended).containsExactly("released");
  }

  @Test
  void attachmentThatComesBetweenTheClaimAndTheAnswer_endsOnceBeforeTheAnswer() {
    List<String> ended = new ArrayList<>();
    Registration[] held = new Registration[1];
    HeldFuture<String> future =
        purgatory
            .<String>until(
                () -> {
                  if (held[0] != null) {
                    held[0].attach(new Ending(ended, "during"));
                    assertThat(held[0].endForUser(Outcome.CANCELLED, null)).isTrue();
                    held[0].attach(new Ending(ended, "claimed"));
                    assertThat(ended).isEmpty();
                  }
                  return null;
                })
            .forever()
            .hold("k");
    held[0] = future.registration();
    assertThat(purgatory.signal("k")).isZero();
    assertThat(future).isCancelled();
    assertThat(ended).containsExactlyInAnyOrder("during", "claimed");
  }

  @Test
  void reschedule_callsTheAdapterWithoutALock() {
    Registration handle = adapter.prepare(new AtomicBoolean());
    hold(purgatory, handle);
    List<Boolean> locked = new ArrayList<>();
    adapter.onTimeoutNanos = () -> locked.add(Thread.holdsLock(handle));
    assertThat(handle.reschedule(Duration.ofDays(1))).isTrue();
    assertThat(handle.reschedule(Duration.ofDays(2))).isTrue();
    assertThat(locked).isNotEmpty().containsOnly(false);
  }

  @Test
  void heldTwice_isRejected() {
    Registration handle = adapter.prepare(new AtomicBoolean());
    assertThat(hold(purgatory, handle)).isFalse();
    assertThatThrownBy(() -> hold(purgatory, handle)).isInstanceOf(IllegalStateException.class);
    assertThat(purgatory.pending()).isEqualTo(1);
  }

  @Test
  void operationThatTookSomething_learnsBeforeItsAnswerWhetherItWasInTime() {
    List<String> queue = new ArrayList<>();
    DelayedOperation[] self = new DelayedOperation[1];
    DelayedOperation taking =
        new DelayedOperation(Duration.ofDays(1)) {
          private @Nullable String taken;

          @Override
          protected boolean isReady() {
            if (queue.isEmpty()) {
              return false;
            }
            taken = queue.remove(0);
            return self[0].cancel(); // true: ready, but cancelled
          }

          @Override
          protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
            if (outcome != Outcome.COMPLETED && taken != null) {
              queue.add(taken);
            }
          }
        };
    self[0] = taking;
    assertThat(purgatory.hold(taking, "k")).isFalse();
    queue.add("x");
    int unused = purgatory.signal("k");
    assertThat(taking.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(queue).containsExactly("x");
  }
}

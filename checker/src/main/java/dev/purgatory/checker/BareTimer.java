package dev.purgatory.checker;

import dev.purgatory.checker.BulkStep.FixedRate;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** The tasks that a {@link BulkRun} schedules on the timer itself. Thread-safe. */
final class BareTimer {
  private final Timer timer;
  private final long tickNanos;
  private final AtomicLong clock;
  private final Violations violations;
  private final Queue<Task> left = new ConcurrentLinkedQueue<>();

  /**
   * Creates an instance.
   *
   * @param tickNanos the tick of the timer
   * @param clock the virtual time
   * @param violations collects what must not happen
   */
  BareTimer(Timer timer, long tickNanos, AtomicLong clock, Violations violations) {
    this.timer = timer;
    this.tickNanos = tickNanos;
    this.clock = clock;
    this.violations = violations;
  }

  /** Schedules tasks and, if asked, cancels them. */
  void burst(int count, long delayNanos, boolean cancelled) {
    List<Task> tasks = new ArrayList<>();
    List<Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Task task = new Task(clock.get() + delayNanos);
      timeouts.add(timer.schedule(task, Duration.ofNanos(delayNanos)));
      tasks.add(task);
    }
    if (cancelled) {
      timeouts.forEach(
          timeout ->
              violations.require(
                  timeout.cancel() && !timeout.isPending(),
                  Invariant.RETURN_VALUES,
                  "a task cannot be cancelled"));
    } else {
      left.addAll(tasks);
    }
  }

  /** Lets a task miss some of its periods, and checks that it runs once for each. */
  void fixedRate(FixedRate plan) {
    Periodic periodic = new Periodic(plan.periodNanos(), plan.missed());
    periodic.schedule(clock.get() + plan.periodNanos());
    clock.addAndGet(plan.periodNanos() * plan.missed() + tickNanos);
    for (int before = -1; before != periodic.runs; ) {
      before = periodic.runs;
      timer.advance();
    }
    violations.require(
        periodic.runs == plan.missed(),
        Invariant.NOT_LATE,
        "a fixed-rate task ran " + periodic.runs + " times, not " + plan.missed());
  }

  /** Returns whether every task that is due at this time has run. */
  boolean isSettled(long time) {
    left.removeIf(task -> task.ran);
    return left.stream().allMatch(task -> task.deadline > time);
  }

  /** Returns the number of tasks that have yet to run. */
  int pending() {
    return left.size();
  }

  /** A task that records whether it ran. */
  final class Task implements Runnable {
    final long deadline;
    volatile boolean ran;

    Task(long deadline) {
      this.deadline = deadline;
    }

    @Override
    public void run() {
      Callback.begin(violations, "a task");
      violations.require(!ran, Invariant.ONCE, "a task ran twice");
      violations.require(clock.get() >= deadline, Invariant.NEVER_EARLY, "a task ran early");
      ran = true;
    }
  }

  /** A task that reschedules itself at its last deadline plus its period. */
  private final class Periodic {
    private final long periodNanos;
    private final int most;
    private int runs;
    private boolean scheduling;

    Periodic(long periodNanos, int most) {
      this.periodNanos = periodNanos;
      this.most = most;
    }

    void schedule(long deadline) {
      boolean before = scheduling;
      scheduling = true;
      timer.scheduleAt(() -> run(deadline), deadline);
      scheduling = before;
    }

    private void run(long deadline) {
      runs++;
      violations.require(!scheduling, Invariant.STACK_DEPTH, "a task runs inside schedule");
      Callback.begin(violations, "a fixed-rate task");
      if (runs < most) {
        schedule(deadline + periodNanos);
      }
    }
  }
}

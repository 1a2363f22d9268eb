package dev.purgatory.benchmarks.answers;

import dev.purgatory.benchmarks.answers.AnswerLedger.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The clients. For each question, one asks an instance for an id; several await it, and several
 * give an answer, each another one. A client that gets an error, a timeout or nothing tries again
 * at another instance, until one replies.
 *
 * <p>The first client that awaits an id stays at the instance that made it, as long as that serves
 * it. If there are more than two, the last one comes 5 to 15 seconds later.
 */
final class Questions implements AutoCloseable {
  private static final int HAPPENS_WITHIN_MILLIS = 1_500;
  private static final int LATE_FROM_MILLIS = 5_000;
  private static final int LATE_UNTIL_MILLIS = 15_000;
  private static final int SHORTEST_WAIT_MILLIS = 300;
  private static final int LONGEST_WAIT_MILLIS = 5_000;
  private static final int RETRY_WITHIN_MILLIS = 1_000;
  private static final int PAUSE_MILLIS = 200;
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration COMPLETE_PATIENCE = Duration.ofSeconds(8);
  private static final int DIGITS = 3;

  private final List<ServiceInstance> instances;
  private final AnswersSoakPlan plan;
  private final AnswerLedger ledger;
  private final Consumer<String> onId;
  private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1);
  private final Set<Client> busy = ConcurrentHashMap.newKeySet();
  private final Recorder latencyMicros = new Recorder(DIGITS);

  final LongAdder asked = new LongAdder();
  final LongAdder waits = new LongAdder();
  final LongAdder timeouts = new LongAdder();
  final LongAdder errors = new LongAdder();
  final LongAdder won = new LongAdder();
  final LongAdder lost = new LongAdder();
  final LongAdder offered = new LongAdder();

  /**
   * Describes the clients.
   *
   * @param onId gets each id that was issued
   */
  Questions(
      List<ServiceInstance> instances,
      AnswersSoakPlan plan,
      AnswerLedger ledger,
      Consumer<String> onId) {
    this.instances = instances;
    this.plan = plan;
    this.ledger = ledger;
    this.onId = onId;
    clock.setRemoveOnCancelPolicy(true);
  }

  /** Begins to ask. Cancel the result to end that. */
  ScheduledFuture<?> begin() {
    long nanos = TimeUnit.SECONDS.toNanos(1) / plan.rate();
    return clock.scheduleAtFixedRate(this::ask, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private void ask() {
    ServiceInstance home = anyInstance();
    var unused =
        home.ask("new", GRACE)
            .whenComplete(
                (reply, error) -> {
                  if (reply == null || !reply.startsWith(AnswerService.ID + " ")) {
                    errors.increment(); // nobody has an id, so there is nothing to check
                  } else {
                    asked.increment();
                    String id = reply.split(" ", -1)[1];
                    begin(new Question(id, plan.completers() + plan.offerers()), home);
                    onId.accept(id);
                  }
                });
  }

  private void begin(Question question, ServiceInstance home) {
    for (int i = 0; i < plan.waiters(); i++) {
      Waiter waiter = new Waiter(question, i == 0);
      boolean late = i > 1 && i == plan.waiters() - 1;
      if (i == 0) {
        waiter.begin(0, home);
      } else if (late) {
        waiter.begin(between(LATE_FROM_MILLIS, LATE_UNTIL_MILLIS), anyInstance());
      } else {
        waiter.begin(between(0, HAPPENS_WITHIN_MILLIS), anyInstance());
      }
    }
    for (int i = 0; i < plan.completers(); i++) {
      new Completer(question, "complete", i)
          .begin(between(0, HAPPENS_WITHIN_MILLIS), anyInstance());
    }
    for (int i = 0; i < plan.offerers(); i++) {
      new Completer(question, "offer", plan.completers() + i)
          .begin(between(0, HAPPENS_WITHIN_MILLIS), anyInstance());
    }
  }

  private ServiceInstance anyInstance() {
    return instances.get(between(0, instances.size()));
  }

  private static int between(int from, int to) {
    return ThreadLocalRandom.current().nextInt(from, to);
  }

  /**
   * Waits until all clients are done.
   *
   * @return whether they are
   */
  boolean awaitDone(Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!busy.isEmpty() && System.nanoTime() - deadline < 0) {
      Thread.sleep(PAUSE_MILLIS);
    }
    return busy.isEmpty();
  }

  /** Ends the clients that are not done, and counts them as violations. */
  void giveUp() {
    close();
    busy.forEach(client -> ledger.add(client.failure(), client.question.id, client.toString()));
  }

  /** Returns the microseconds from the first attempt to give an answer to each who awaited it. */
  Histogram latencyMicros() {
    return latencyMicros.getIntervalHistogram();
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }

  /** An id, and when each of its answers was given for the first time; 0: not yet. */
  private static final class Question {
    final String id;
    final AtomicLongArray givenAt;

    Question(String id, int answers) {
      this.id = id;
      this.givenAt = new AtomicLongArray(answers);
    }
  }

  private abstract class Client {
    final Question question;

    Client(Question question) {
      this.question = question;
    }

    /** Sends a request to an instance. */
    abstract CompletableFuture<String> attempt(ServiceInstance instance);

    /** Handles a reply of two words; called once. */
    abstract void done(String word, String answer);

    abstract Violation failure();

    final void begin(int millis, ServiceInstance instance) {
      busy.add(this);
      later(millis, instance);
    }

    private void later(int millis, ServiceInstance instance) {
      if (!clock.isShutdown()) {
        var unused = clock.schedule(() -> go(instance), millis, TimeUnit.MILLISECONDS);
      }
    }

    private void go(ServiceInstance instance) {
      var unused =
          attempt(instance)
              .exceptionally(error -> AnswerService.ERROR + " " + error)
              .thenAccept(reply -> onReply(reply, instance));
    }

    /** Returns where to await an id again. */
    ServiceInstance next(ServiceInstance instance) {
      return anyInstance();
    }

    private void onReply(String reply, ServiceInstance instance) {
      if (clock.isShutdown()) {
        return; // nobody compares a later reply with the topic
      }
      String[] words = reply.split(" ", -1);
      switch (words[0]) {
        case AnswerService.TIMEOUT -> {
          timeouts.increment();
          later(0, next(instance));
        }
        case AnswerService.ERROR -> {
          errors.increment();
          later(between(0, RETRY_WITHIN_MILLIS), anyInstance());
        }
        default -> {
          done(words[0], words[1]);
          busy.remove(this);
        }
      }
    }
  }

  private final class Waiter extends Client {
    private final boolean stays;
    private volatile long begin;

    Waiter(Question question, boolean stays) {
      super(question);
      this.stays = stays;
    }

    @Override
    ServiceInstance next(ServiceInstance instance) {
      return stays ? instance : super.next(instance);
    }

    @Override
    CompletableFuture<String> attempt(ServiceInstance instance) {
      waits.increment();
      begin = System.nanoTime();
      int millis = between(SHORTEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
      return instance.ask(
          "await " + question.id + " " + millis, Duration.ofMillis(millis).plus(GRACE));
    }

    @Override
    void done(String word, String answer) {
      ledger.learned(question.id, answer);
      long given = question.givenAt.get(Integer.parseInt(answer));
      if (given - begin > 0) {
        latencyMicros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - given));
      }
    }

    @Override
    Violation failure() {
      return Violation.NEVER_LEARNED;
    }

    @Override
    public String toString() {
      return "awaited " + question.id;
    }
  }

  private final class Completer extends Client {
    private final String how;
    private final int answer;

    Completer(Question question, String how, int answer) {
      super(question);
      this.how = how;
      this.answer = answer;
    }

    @Override
    CompletableFuture<String> attempt(ServiceInstance instance) {
      question.givenAt.compareAndSet(answer, 0, System.nanoTime());
      return instance.ask(how + " " + question.id + " " + answer, COMPLETE_PATIENCE);
    }

    @Override
    void done(String word, String decided) {
      switch (word) {
        case AnswerService.OFFERED -> offered.increment();
        case AnswerService.WON -> {
          won.increment();
          ledger.won(question.id, decided);
        }
        default -> {
          lost.increment();
          ledger.learned(question.id, decided);
        }
      }
    }

    @Override
    Violation failure() {
      return Violation.NEVER_DECIDED;
    }

    @Override
    public String toString() {
      return "gave " + answer;
    }
  }
}

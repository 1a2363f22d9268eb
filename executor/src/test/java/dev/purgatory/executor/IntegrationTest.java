package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.timer.Timer;
import io.reactivex.rxjava3.core.Observable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The samples of docs/adapters/executor.md, with the libraries that they are for. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // as in the samples
class IntegrationTest {
  private final WheelScheduledExecutor executor =
      new WheelScheduledExecutor(2, Executors.defaultThreadFactory());

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    executor.shutdown();
    assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
  }

  @Test
  void construction() throws Exception {
    // sample: executor
    ScheduledExecutorService executor =
        new WheelScheduledExecutor(4, Executors.defaultThreadFactory());

    ScheduledFuture<?> timeout = executor.schedule(this::giveUp, 30, SECONDS);
    timeout.cancel(false); // it is unreachable from the executor now
    // end
    executor.shutdown();
    assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    assertThat(timeout.isCancelled()).isTrue();
  }

  private void giveUp() {}

  @Test
  void sharedTimer() throws Exception {
    try (Timer timer = Timer.builder().start("clock")) {
      Executor workers = Runnable::run;
      // sample: executor-builder
      ScheduledExecutorService executor =
          WheelScheduledExecutor.builder()
              .timer(timer) // shared, with purgatories for example
              .executor(workers) // runs the tasks
              .build();
      // end
      assertThat(executor.schedule(() -> "done", 1, MILLISECONDS).get(30, SECONDS))
          .isEqualTo("done");
      executor.shutdown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }
  }

  private String load() {
    return "loaded";
  }

  @Test
  void completableFuture() throws Exception {
    // sample: executor-future
    Executor later = task -> executor.schedule(task, 10, MILLISECONDS);
    CompletableFuture<String> loaded = CompletableFuture.supplyAsync(this::load, later);
    // end
    assertThat(loaded.get(30, SECONDS)).isEqualTo("loaded");
  }

  @Test
  void reactor() {
    // sample: executor-reactor
    Scheduler scheduler = Schedulers.fromExecutorService(executor);
    Mono<String> timed = Mono.<String>never().timeout(Duration.ofMillis(20), scheduler);
    Flux<Long> ticks = Flux.interval(Duration.ofMillis(5), scheduler).take(3);
    // end
    assertThat(timed.onErrorReturn("timed out").block(Duration.ofSeconds(30)))
        .isEqualTo("timed out");
    assertThat(ticks.collectList().block(Duration.ofSeconds(30))).containsExactly(0L, 1L, 2L);
  }

  @Test
  void reactor_disposedTimeouts_areRemoved() {
    Scheduler scheduler = Schedulers.fromExecutorService(executor);
    List<Disposable> waiting = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      waiting.add(Mono.never().timeout(Duration.ofSeconds(30), scheduler).subscribe());
    }
    assertThat(executor).hasToString("WheelScheduledExecutor[running, 1000 tasks]");
    waiting.forEach(Disposable::dispose);
    assertThat(executor).hasToString("WheelScheduledExecutor[running, 0 tasks]");
  }

  @Test
  void rxJava() {
    // sample: executor-rxjava
    var scheduler = io.reactivex.rxjava3.schedulers.Schedulers.from(executor);
    Observable<Long> ticks = Observable.interval(5, MILLISECONDS, scheduler).take(3);
    // end
    assertThat(ticks.toList().blockingGet()).containsExactly(0L, 1L, 2L);
    assertThat(
            Observable.<String>never()
                .timeout(20, MILLISECONDS, scheduler)
                .onErrorReturnItem("timed out")
                .blockingFirst())
        .isEqualTo("timed out");
  }

  @Test
  void virtualTime() {
    // sample: executor-virtual-time
    VirtualTime time = VirtualTime.create();
    ScheduledExecutorService executor =
        WheelScheduledExecutor.builder().timer(time.timer()).executor(time.executor()).build();
    AtomicInteger beats = new AtomicInteger();
    var heartbeat = executor.scheduleAtFixedRate(beats::incrementAndGet, 10, 10, SECONDS);

    time.advance(Duration.ofMinutes(1));
    assertThat(beats).hasValue(6);

    assertThat(heartbeat.cancel(false)).isTrue();
    time.assertNothingPending();
    // end
  }
}

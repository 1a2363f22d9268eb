package dev.purgatory.benchmarks.pair;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What two versions of the library are compared by. {@link #get} starts a loop, which takes the
 * number of its next rounds. What it has started stays until the JVM ends.
 */
public enum Loop implements Supplier<IntConsumer> {
  /** Cancels one of 10,000 timeouts, and adds another. */
  REPLACE_TIMEOUT {
    @Override
    public IntConsumer get() {
      SplittableRandom random = new SplittableRandom(1);
      Timer timer = Timer.builder().start("compare");
      List<Timeout> timeouts = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        timeouts.add(timer.schedule(Loop::doNothing, timeout(random)));
      }
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          int place = random.nextInt(MANY);
          boolean unused = timeouts.get(place).cancel();
          timeouts.set(place, timer.schedule(Loop::doNothing, timeout(random)));
        }
      };
    }
  },

  /** Adds a timeout, and cancels it. */
  SCHEDULE_AND_CANCEL {
    @Override
    public IntConsumer get() {
      Timer timer = Timer.builder().start("compare");
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          boolean unused = timer.schedule(Loop::doNothing, LIMIT).cancel();
        }
      };
    }
  },

  /** Signals a key with one request, whose condition does not hold. */
  CHECK {
    @Override
    public IntConsumer get() {
      Purgatory<Integer> purgatory = Purgatory.builder("compare", Integer.class).build();
      var unusedAnswer = purgatory.hold(new Request(), List.of(0));
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          int unused = purgatory.signal(0);
        }
      };
    }
  },

  /** Holds a request on a key, and completes it with a signal. */
  HOLD_AND_SIGNAL {
    @Override
    public IntConsumer get() {
      Purgatory<Integer> purgatory = Purgatory.builder("compare", Integer.class).build();
      List<Integer> key = List.of(0);
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          Request request = new Request();
          boolean unused = purgatory.hold(request, key);
          request.ready = true;
          var unusedNumber = purgatory.signal(0);
        }
      };
    }
  },

  /** Completes one of 10,000 requests on three of 100 keys, and holds another. */
  REPLACE_REQUEST {
    @Override
    public IntConsumer get() {
      SplittableRandom random = new SplittableRandom(1);
      Purgatory<Integer> purgatory = Purgatory.builder("compare", Integer.class).build();
      List<Request> requests = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        requests.add(held(purgatory, random));
      }
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          int place = random.nextInt(MANY);
          boolean unused = requests.get(place).complete();
          requests.set(place, held(purgatory, random));
        }
      };
    }
  },

  /** Completes one of 1,000 stages with a time limit, and sets a limit on another. */
  LIMIT_STAGE {
    @Override
    public IntConsumer get() {
      SplittableRandom random = new SplittableRandom(1);
      Purgatory<Integer> purgatory = Purgatory.builder("compare", Integer.class).build();
      List<CompletableFuture<Object>> stages = new ArrayList<>();
      for (int i = 0; i < FEW; i++) {
        stages.add(limited(purgatory));
      }
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          int place = random.nextInt(FEW);
          boolean unused = stages.get(place).complete(ANSWER);
          stages.set(place, limited(purgatory));
        }
      };
    }
  },

  /** Completes one of 1,000 awaited replies, and expects another. */
  REPLY {
    @Override
    public IntConsumer get() {
      SplittableRandom random = new SplittableRandom(1);
      Replies<Long, Object> replies = Replies.builder("compare", Long.class, Object.class).build();
      long[] ids = new long[FEW];
      long[] next = {0};
      for (int i = 0; i < FEW; i++) {
        ids[i] = next[0];
        var unused = replies.expect(next[0]++, LIMIT);
      }
      return rounds -> {
        for (int i = 0; i < rounds; i++) {
          int place = random.nextInt(FEW);
          boolean unused = replies.complete(ids[place], ANSWER);
          ids[place] = next[0];
          var unusedFuture = replies.expect(next[0]++, LIMIT);
        }
      };
    }
  },

  /** Expects a reply that times out. */
  EXPIRE_REPLY {
    @Override
    public IntConsumer get() {
      AtomicLong clock = new AtomicLong();
      Timer timer = Timer.builder().ticker(clock::get).build();
      Replies<Long, Object> replies =
          Replies.<Long, Object>builder("compare", Long.class, Object.class).timer(timer).build();
      return rounds -> {
        for (long id = 0; id < rounds; id++) {
          var unusedFuture = replies.expect(id, LIMIT);
        }
        clock.addAndGet(LIMIT.multipliedBy(2).toNanos());
        int unused = timer.advance();
      };
    }
  };

  private static final int MANY = 10_000;
  private static final int FEW = 1000;
  private static final Object ANSWER = "answer";

  /** Longer than a measurement. */
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private static void doNothing() {}

  private static Duration timeout(SplittableRandom random) {
    return Duration.ofMillis(random.nextInt(60_000, 600_000));
  }

  private static Request held(Purgatory<Integer> purgatory, SplittableRandom random) {
    int first = random.nextInt(100);
    Request request = new Request();
    boolean unused = purgatory.hold(request, List.of(first, (first + 1) % 100, (first + 2) % 100));
    return request;
  }

  private static CompletableFuture<Object> limited(Purgatory<Integer> purgatory) {
    CompletableFuture<Object> stage = new CompletableFuture<>();
    var unused = purgatory.timeout(stage, LIMIT);
    return stage;
  }

  private static final class Request extends DelayedOperation {
    private boolean ready;

    Request() {
      super(LIMIT);
    }

    @Override
    protected boolean isReady() {
      return ready;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}
  }
}

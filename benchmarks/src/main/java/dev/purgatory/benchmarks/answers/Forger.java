package dev.purgatory.benchmarks.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.SharedReplies;
import dev.purgatory.benchmarks.answers.AnswerLedger.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Answers ids that no instance has issued. The table of the service has a key, so it must refuse
 * all of them. A table without a key is there for ids that anybody can make: of any time and
 * partition. It must not harm the other one.
 */
final class Forger {
  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final List<Duration> TIMES =
      List.of(
          Duration.ofHours(-6),
          Duration.ZERO,
          Duration.ofMinutes(59),
          Duration.ofHours(1),
          Duration.ofHours(2));

  private final List<ServiceInstance> instances;
  private final int partitions;
  private final AnswerLedger ledger;
  private final Random random;
  private final Weak weak = new Weak("weak");
  private final Weak likeTheOther = new Weak("soak");

  final LongAdder forged = new LongAdder();
  final LongAdder refused = new LongAdder();

  Forger(List<ServiceInstance> instances, int partitions, AnswerLedger ledger, long seed) {
    this.instances = instances;
    this.partitions = partitions;
    this.ledger = ledger;
    this.random = new Random(seed);
  }

  /** Forges some ids like an id that was issued. */
  synchronized void forge(String issued) {
    String time = String.valueOf(System.currentTimeMillis() + any(TIMES).toMillis());
    String text =
        random.nextInt(partitions)
            + "."
            + time
            + "."
            + UUID.randomUUID().toString().replace("-", "");
    give("complete-weak " + weak.id(text) + " 0", false);
    give("complete " + likeTheOther.id(text) + " 0", true);
    give("complete " + issued.replaceFirst("[0-9a-f]\\.", "x.") + " 0", true);
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void give(String request, boolean mustBeRefused) {
    forged.increment();
    var unused =
        any(instances)
            .ask(request, PATIENCE)
            .thenAccept(
                reply -> {
                  if (reply.startsWith(
                      AnswerService.ERROR + " " + IllegalArgumentException.class.getName())) {
                    refused.increment();
                  } else if (mustBeRefused && !reply.startsWith(AnswerService.ERROR)) {
                    ledger.add(Violation.FORGED, request, reply);
                  }
                });
  }

  /** A table without a key: the next id is what the forger sets. */
  private static final class Weak implements AnswerStore {
    private final SharedReplies<String> table;
    private String next = "";

    Weak(String name) {
      table =
          new SharedReplies<>(
              name, this, text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8));
    }

    String id(String text) {
      next = text;
      return table.newId();
    }

    @Override
    public String newId() {
      return next;
    }

    @Override
    public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<byte[]> follow(String id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}

package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Identical requests share one query of the database; each has its own time limit. */
final class SharedLooks {
  private final Purgatory<String> waiting;
  private final Receipts.Database database;

  SharedLooks(Purgatory<String> waiting, Receipts.Database database) {
    this.waiting = waiting;
    this.database = database;
  }

  // sample: shared-look
  private final Map<String, CompletionStage<@Nullable String>> looks = new ConcurrentHashMap<>();

  HeldFuture<String> receipt(String order, Duration timeout) {
    return waiting.untilAsync(() -> look(order)).orTimeout(timeout).hold(order);
  }

  private CompletionStage<@Nullable String> look(String order) {
    CompletionStage<@Nullable String> look = looks.computeIfAbsent(order, database::findReceipt);
    var unused = look.whenComplete((receipt, error) -> looks.remove(order, look));
    return look;
  }

  void onPaid(String order) {
    looks.remove(order); // a look that has begun may have missed the row
    waiting.signal(order);
  }
  // end
}

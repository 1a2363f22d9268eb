package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Identical requests share one query of the database; each has its own time limit. */
final class SharedQueries {
  private final Purgatory<String> waiting;
  private final Receipts.Database database;

  SharedQueries(Purgatory<String> waiting, Receipts.Database database) {
    this.waiting = waiting;
    this.database = database;
  }

  // sample: shared-query
  private final Map<String, CompletionStage<@Nullable String>> queries = new ConcurrentHashMap<>();

  HeldFuture<String> receipt(String order, Duration timeout) {
    return waiting.untilAsync(() -> query(order)).orTimeout(timeout).hold(order);
  }

  private CompletionStage<@Nullable String> query(String order) {
    CompletionStage<@Nullable String> query = queries.computeIfAbsent(order, database::findReceipt);
    var unused = query.whenComplete((receipt, error) -> queries.remove(order, query));
    return query;
  }

  void onPaid(String order) {
    queries.remove(order); // a query that has begun may have missed the row
    waiting.signal(order);
  }
  // end
}

package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Hold until a condition that takes time: clients wait for a row in a database. */
public final class Receipts implements AutoCloseable {
  // sample: until-async
  private final Purgatory<String> waiting;
  private final Database database;

  Receipts(Purgatory<String> waiting, Database database) {
    this.waiting = waiting;
    this.database = database;
  }

  interface Database {
    /**
     * Looks for the receipt of an order, without blocking. The stage completes with null if the
     * order has no receipt yet.
     */
    CompletionStage<@Nullable String> findReceipt(String order);
  }

  /** Returns the receipt of an order, or says after 30 seconds that it is not paid. */
  CompletableFuture<String> receipt(String order) {
    return waiting
        .untilAsync(() -> database.findReceipt(order))
        .recheckEvery(Duration.ofSeconds(5)) // for what other processes write
        .orAfter(Duration.ofSeconds(30), () -> "not paid")
        .hold(order);
  }

  void onPaid(String order) {
    waiting.signal(order); // after the row is committed: looks for it
  }

  // end

  @Override
  public void close() {
    waiting.close();
  }

  /**
   * Runs the example: a client waits for the receipt of an order.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    Map<String, String> rows = new ConcurrentHashMap<>();
    Database database = order -> CompletableFuture.supplyAsync(() -> rows.get(order));
    try (Receipts receipts =
        new Receipts(Purgatory.builder("receipts", String.class).build(), database)) {
      CompletableFuture<String> receipt = receipts.receipt("order 7");
      System.out.println(receipt.isDone()); // false: it is not paid yet
      rows.put("order 7", "paid by card");
      receipts.onPaid("order 7");
      System.out.println(receipt.join()); // paid by card
    }
  }
}

package dev.purgatory.benchmarks.contender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The data of a request. It contains everything that the measurements record about the request, so
 * that no contender needs a field for it.
 */
public final class Payload {
  /** The size of a request in Kafka's redesign proposal. */
  public static final int BYTES = 100;

  private static final int ANSWERABLE = 0;
  private static final int NUMBER = 8;
  private static final int DEADLINE = 16;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private Payload() {}

  /**
   * Creates the data of a request.
   *
   * @param number the number of the request
   * @param deadline the deadline of the request, by {@link System#nanoTime}
   */
  public static byte[] of(long number, long deadline) {
    byte[] payload = new byte[BYTES];
    LONGS.set(payload, NUMBER, number);
    LONGS.set(payload, DEADLINE, deadline);
    return payload;
  }

  /** Returns the number of the request. */
  public static long number(byte[] payload) {
    return (long) LONGS.get(payload, NUMBER);
  }

  /** Returns the deadline of the request, by {@link System#nanoTime}. */
  public static long deadline(byte[] payload) {
    return (long) LONGS.get(payload, DEADLINE);
  }

  /** Marks the request as answerable. */
  public static void makeAnswerable(byte[] payload) {
    payload[ANSWERABLE] = 1;
  }

  /** Returns whether the request is marked as answerable. */
  public static boolean isAnswerable(byte[] payload) {
    return payload[ANSWERABLE] != 0;
  }
}

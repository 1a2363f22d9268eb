package dev.purgatory.benchmarks.contender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The data of a request. What the measurements note about a request lies in here, so that no
 * contender needs a field for it.
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
   * Makes the data of a request.
   *
   * @param number which request it is
   * @param deadline when its time is up, as {@link System#nanoTime} counts
   */
  public static byte[] of(long number, long deadline) {
    byte[] payload = new byte[BYTES];
    LONGS.set(payload, NUMBER, number);
    LONGS.set(payload, DEADLINE, deadline);
    return payload;
  }

  /** Which request it is. */
  public static long number(byte[] payload) {
    return (long) LONGS.get(payload, NUMBER);
  }

  /** When its time is up. */
  public static long deadline(byte[] payload) {
    return (long) LONGS.get(payload, DEADLINE);
  }

  /** Says that the request can be answered from now on. */
  public static void makeAnswerable(byte[] payload) {
    payload[ANSWERABLE] = 1;
  }

  /** Whether the request can be answered. */
  public static boolean isAnswerable(byte[] payload) {
    return payload[ANSWERABLE] != 0;
  }
}

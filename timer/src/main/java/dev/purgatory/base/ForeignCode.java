package dev.purgatory.base;

import java.util.function.Consumer;

/**
 * Calls code of users, one piece after another, on a thread that all of them share. What one piece
 * throws and the interrupt flag that it leaves do not reach the next one.
 */
public final class ForeignCode {

  /*
   * The flag of the thread is cleared before each call. A flag that was set before is set again afterwards,
   * because it may be meant for the caller. A flag that the code leaves stays, for the same reason. The threads of
   * the library clear it when they go on.
   *
   * A JVM loads what it needs for a statement, such as a literal, when it executes that for the first time. For lack of
   * memory this fails, and the handlers of errors then run for the first time. So a failure is handled once
   * when this class is initialized.
   */

  static {
    call(ForeignCode::fail, LastResort.class, ForeignCode::fail);
  }

  private ForeignCode() {}

  /** Initializes the class, while there is memory. */
  public static void prepare() {}

  /**
   * Calls foreign code. Does not throw.
   *
   * @param code is called once, without an interrupt flag
   * @param argument is passed to the code
   * @param failed gets what the code throws, without an interrupt flag
   * @param <T> the type of the argument
   */
  public static <T> void call(
      Consumer<? super T> code, T argument, Consumer<? super Throwable> failed) {
    boolean interrupted = Thread.interrupted();
    try {
      code.accept(argument);
    } catch (Throwable e) {
      interrupted |= Thread.interrupted();
      report(e, failed);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void report(Throwable error, Consumer<? super Throwable> failed) {
    try {
      failed.accept(error);
    } catch (Throwable e) {
      // Nothing is left to report to.
    }
  }

  private static void fail(Object argument) {
    throw new IllegalStateException("not reported");
  }
}

package dev.purgatory.base;

import java.util.function.Consumer;

/**
 * Calls code of users, one piece after another, on a thread that all of them share. What one piece
 * throws and the interrupt flag that it leaves do not reach the next one.
 *
 * <pre>{@code
 * boolean interrupted = ForeignCode.enter();
 * try {
 *   listener.onHeld(operation);
 * } finally {
 *   ForeignCode.leave(interrupted);
 * }
 * }</pre>
 */
public final class ForeignCode {

  /*
   * The flag of the thread is cleared before each call. A flag that was set before is set again afterwards,
   * because it may be meant for the caller. A flag that the code leaves stays, for the same reason: somebody may have
   * interrupted the caller during the call. The next call clears it, and the threads of the library when they go on.
   *
   * Factories of threads, tickers and the methods of keys do not run inside: they belong to the caller, or must not
   * block.
   *
   * `enter` and `leave` are a pair, because code that is passed to a method would take a lambda, which allocates.
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
   * Begins a call of foreign code, which sees no interrupt flag. The caller must {@link #leave}
   * with the returned value.
   *
   * @return whether the flag was set
   */
  public static boolean enter() {
    return Thread.interrupted();
  }

  /**
   * Ends a call of foreign code.
   *
   * @param interrupted what {@link #enter} returned: then the flag is set again
   */
  public static void leave(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

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
    boolean interrupted = enter();
    try {
      code.accept(argument);
    } catch (Throwable e) {
      interrupted |= enter();
      report(e, failed);
    } finally {
      leave(interrupted);
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

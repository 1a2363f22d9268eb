package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Executors on virtual threads, which this module is compiled without. */
final class VirtualThreads {
  private static final @Nullable MethodHandle NEW_EXECUTOR = find();

  private VirtualThreads() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findStatic(
              Executors.class,
              "newVirtualThreadPerTaskExecutor",
              MethodType.methodType(ExecutorService.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Checks that the JDK has virtual threads.
   *
   * @throws UnsupportedOperationException if it has none
   */
  static void check() {
    if (NEW_EXECUTOR == null) {
      throw new UnsupportedOperationException("virtual threads take JDK 21 or newer");
    }
  }

  /** Returns an executor that starts a virtual thread for each task. */
  static ExecutorService newExecutor() {
    try {
      return (ExecutorService) requireNonNull(NEW_EXECUTOR).invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("no virtual threads", e);
    }
  }
}

package dev.purgatory.base;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/** Makes all threads of the library. They inherit nothing from the thread that starts them. */
public final class Threads {
  private Threads() {}

  /**
   * Returns a factory of daemon threads.
   *
   * @param name of each thread
   * @return a factory whose threads have the context class loader of the caller of this method
   */
  public static ThreadFactory daemons(String name) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = daemon(task, name);
      thread.setContextClassLoader(loader);
      return thread;
    };
  }

  /**
   * Creates a daemon thread, without starting it.
   *
   * @param task what it runs
   * @param name its name
   * @return a new thread, as of {@link #make}
   */
  public static Thread daemon(Runnable task, String name) {
    return make(() -> new Thread(null, task, name, 0, /* inheritThreadLocals= */ false));
  }

  /**
   * Returns whether the JVM is shutting down.
   *
   * @return true once {@link System#exit} or a signal has begun to run shutdown hooks
   */
  public static boolean isExiting() {
    Thread hook = daemon(() -> {}, "purgatory-probe");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /**
   * Creates a daemon thread of normal priority, without a context class loader. Until JDK 23, a
   * thread refers to the classes on the stack that made it, and so to their loaders: here only to
   * the library's.
   *
   * @param made creates the thread, without starting it
   * @param <T> its class
   * @return the created thread
   */
  @SuppressWarnings({
    "removal", // later JDKs run the action as it is
    "ThreadPriorityCheck" // resets what the thread would inherit
  })
  public static <T extends Thread> T make(Supplier<T> made) {
    T thread = AccessController.doPrivileged((PrivilegedAction<T>) made::get);
    thread.setDaemon(true);
    thread.setPriority(Thread.NORM_PRIORITY);
    thread.setContextClassLoader(null);
    return thread;
  }
}

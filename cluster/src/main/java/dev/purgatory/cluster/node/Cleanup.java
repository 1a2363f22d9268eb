package dev.purgatory.cluster.node;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes the resources that must not outlive a command, such as processes and folders, in the
 * reverse order of their creation. They are closed at the end of the command or when a signal
 * terminates this process, whichever happens first.
 */
public final class Cleanup implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Thread hook = new Thread(this::closeAll, "cleanup");

  private boolean closed;

  /** Creates a cleanup without resources. */
  public Cleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Adds a resource. Closes it immediately if this cleanup is already closed.
   *
   * @param resource the resource to close
   * @param <T> the type of the resource
   * @return the resource
   */
  public <T extends AutoCloseable> T add(T resource) {
    synchronized (this) {
      if (!closed) {
        open.push(resource);
        return resource;
      }
    }
    close(resource);
    return resource;
  }

  /** Returns whether this process is shutting down, which may be the cause of any failure. */
  public static boolean isProcessEnding() {
    Thread probe = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is shutting down and runs the hook. Closing twice is harmless.
    }
    closeAll();
  }

  private synchronized void closeAll() {
    closed = true;
    while (!open.isEmpty()) {
      close(open.pop());
    }
  }

  /** Reports a failure instead of throwing, so that the other resources are closed as well. */
  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      System.err.println("purgatory: cleanup failed: " + e.getMessage());
    }
  }
}

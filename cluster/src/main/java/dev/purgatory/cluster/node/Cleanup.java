package dev.purgatory.cluster.node;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What must not outlive a command: processes and folders. It is closed at the end of the command,
 * or when this process is told to end by a signal, whichever comes first; the newest goes first.
 */
public final class Cleanup implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Thread hook = new Thread(this::closeAll, "cleanup");

  private boolean closed;

  /** Nothing to clean up so far. */
  public Cleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Remembers something to be closed. It is closed at once when everything else is closed already.
   *
   * @param resource what must not outlive the command
   * @param <T> its type
   * @return the same
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

  /** Whether this process is about to end, so that all that fails now fails because of that. */
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
      // The process is ending: the hook is at it, and closing twice does no harm.
    }
    closeAll();
  }

  private synchronized void closeAll() {
    closed = true;
    while (!open.isEmpty()) {
      close(open.pop());
    }
  }

  /** One that cannot be closed must not keep the others from it. */
  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      System.err.println("purgatory: while cleaning up: " + e.getMessage());
    }
  }
}

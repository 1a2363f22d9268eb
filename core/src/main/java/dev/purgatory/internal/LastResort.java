package dev.purgatory.internal;

/** Where errors go that nobody else takes. */
public final class LastResort {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");

  private LastResort() {}

  /**
   * Logs an error. Never throws: whoever is here has others to serve.
   *
   * @param message what has failed
   * @param error what was thrown
   */
  public static void log(String message, Throwable error) {
    try {
      LOG.log(System.Logger.Level.ERROR, message, error);
    } catch (Throwable e) {
      // A logger that fails leaves nobody to tell.
    }
  }
}

package dev.purgatory.testing;

/** Throws checked exceptions that are not declared. */
public final class Sneaky {
  private Sneaky() {}

  public static void raise(Throwable e) {
    Sneaky.<RuntimeException>raiseUnchecked(e);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "DoNotCallSuggester"})
  private static <T extends Throwable> void raiseUnchecked(Throwable e) throws T {
    throw (T) e;
  }
}

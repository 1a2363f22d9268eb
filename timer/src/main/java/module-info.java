/**
 * A timer for very many timeouts.
 *
 * <p>Start reading at {@link dev.purgatory.timer.Timer}.
 */
@SuppressWarnings("module") // the others are compiled later
module dev.purgatory.timer {
  requires static transitive org.jspecify;
  // Without it, nothing is recorded.
  requires static jdk.jfr;

  exports dev.purgatory.timer;

  // The timeouts of the others are entries. Answers make threads, and the starter shows keys.
  exports dev.purgatory.base to
      dev.purgatory,
      dev.purgatory.answers,
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty,
      dev.purgatory.spring;
  exports dev.purgatory.threads to
      dev.purgatory,
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty;
  exports dev.purgatory.wheel to
      dev.purgatory,
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty;
}

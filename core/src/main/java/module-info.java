/**
 * Holds requests that cannot be answered yet, and answers each exactly once.
 *
 * <p>Start reading at {@link dev.purgatory.Purgatory}.
 */
@SuppressWarnings("module") // the adapter is compiled later
module dev.purgatory {
  requires static transitive org.jspecify;
  // Without them, nothing is recorded, and there is no MXBean.
  requires static jdk.jfr;
  requires static java.management;

  exports dev.purgatory;
  exports dev.purgatory.throttle;
  exports dev.purgatory.session;
  exports dev.purgatory.timer;

  // The console shows the wheels, answers make threads, the starter shows keys; the timeouts of the
  // others are entries.
  exports dev.purgatory.base to
      dev.purgatory.answers,
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty,
      dev.purgatory.spring;
  exports dev.purgatory.threads to
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty;
  exports dev.purgatory.wheel to
      dev.purgatory.console,
      dev.purgatory.executor,
      dev.purgatory.netty;
}

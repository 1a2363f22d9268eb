/**
 * Holds requests that cannot be answered yet, and answers each exactly once.
 *
 * <p>Start reading at {@link dev.purgatory.Purgatory}.
 */
module dev.purgatory {
  requires transitive dev.purgatory.timer;
  requires static transitive org.jspecify;
  // Without it, there is no MBean.
  requires static java.management;

  exports dev.purgatory;
  exports dev.purgatory.throttle;
  exports dev.purgatory.session;
}

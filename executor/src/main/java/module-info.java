/**
 * A {@code ScheduledExecutorService} on timing wheels.
 *
 * <p>Start reading at {@link dev.purgatory.executor.WheelScheduledExecutor}.
 */
module dev.purgatory.executor {
  requires transitive dev.purgatory.timer;
  requires static transitive org.jspecify;

  exports dev.purgatory.executor;
}

/**
 * Tests code that uses a purgatory: virtual time, assertions that nothing is left, and faults.
 *
 * <p>Start reading at {@link dev.purgatory.testkit.VirtualTime}.
 */
module dev.purgatory.testkit {
  requires transitive dev.purgatory;
  requires static transitive org.jspecify;
  requires static transitive org.junit.jupiter.api;

  exports dev.purgatory.testkit;
  exports dev.purgatory.testkit.junit;
}

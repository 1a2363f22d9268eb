/**
 * A page that shows what purgatories hold, why, and what is wrong with their signals.
 *
 * <p>Start reading at {@link dev.purgatory.console.Console}.
 */
module dev.purgatory.console {
  requires transitive dev.purgatory;
  requires transitive java.management;
  requires jdk.httpserver;
  requires com.fasterxml.jackson.jr.ob;
  requires static transitive org.jspecify;

  exports dev.purgatory.console;
}

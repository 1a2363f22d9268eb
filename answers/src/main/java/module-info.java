/**
 * Answers that are given on one instance of a service and awaited on another, and signals that
 * reach the waiters of all instances.
 *
 * <p>Start reading at {@link dev.purgatory.answers.SharedReplies} or {@link
 * dev.purgatory.answers.SharedSignals}.
 */
module dev.purgatory.answers {
  requires transitive dev.purgatory;
  requires transitive java.sql;
  requires kafka.clients;
  requires static org.postgresql.jdbc;
  requires static transitive org.jspecify;

  exports dev.purgatory.answers;
}

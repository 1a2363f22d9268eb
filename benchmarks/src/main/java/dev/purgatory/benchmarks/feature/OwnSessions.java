package dev.purgatory.benchmarks.feature;

import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;

/** This library's sessions. */
final class OwnSessions implements SessionTable {
  private static final String OWNER = "owner";

  private final Timer timer = Timer.builder().start("bench-timeouts");
  private final Sessions<Long, String> sessions;

  OwnSessions(Duration timeout) {
    sessions = new Sessions<>(timer, timeout, end -> {});
  }

  @Override
  public void open(Long id) {
    Session<Long, String> unused = sessions.open(id, OWNER);
  }

  @Override
  public boolean touch(Long id) {
    return sessions.touch(id);
  }

  @Override
  public long size() {
    return sessions.size();
  }

  @Override
  public void close() {
    sessions.close();
    timer.close();
  }
}

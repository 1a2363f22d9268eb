package dev.purgatory.benchmarks.measure;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerEntry;
import java.util.concurrent.TimeUnit;

/** This project's timer, as its builder gives it. */
final class CoreTimer implements BareTimer {
  private final Timer timer = Timer.builder().start("bench-timer");

  @Override
  public Object add(long millis) {
    Entry entry = new Entry();
    timer.schedule(entry, millis, TimeUnit.MILLISECONDS);
    return entry;
  }

  @Override
  public void cancel(Object added) {
    timer.cancel((Entry) added);
  }

  @Override
  public void close() {
    timer.close();
  }

  private static final class Entry extends TimerEntry {
    @Override
    protected void onTimeout() {}
  }
}

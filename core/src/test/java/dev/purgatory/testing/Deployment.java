package dev.purgatory.testing;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.util.List;

/** Uses a purgatory as a deployed application does, on a pooled thread that outlives it. */
public final class Deployment implements Runnable {

  @Override
  public void run() {
    Purgatory<String> purgatory =
        Purgatory.builder("deployed", String.class).timer(Timer.builder().build()).build();
    RecordingOperation first = new RecordingOperation(1_000);
    RecordingOperation second = new RecordingOperation(1_000);
    first.onAnswer(() -> purgatory.signal("second"));
    purgatory.hold(first, List.of("first"));
    purgatory.hold(second, List.of("second"));
    first.condition(true);
    second.condition(true);
    purgatory.signal("first");
    purgatory.close();
  }
}

package dev.purgatory.cli.probe;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import jdk.management.jfr.FlightRecorderMXBean;

/** A recording of what the threads of a node execute, made by the flight recorder of its JVM. */
public final class Recording {
  private final FlightRecorderMXBean recorder;
  private final long id;

  private Recording(FlightRecorderMXBean recorder, long id) {
    this.recorder = recorder;
    this.id = id;
  }

  static Recording start(JmxConnection jmx, Duration period) throws IOException {
    FlightRecorderMXBean recorder =
        jmx.proxy(JmxConnection.name(FlightRecorderMXBean.MXBEAN_NAME), FlightRecorderMXBean.class);
    try {
      long id = recorder.newRecording();
      recorder.setRecordingSettings(id, settings(period));
      recorder.startRecording(id);
      return new Recording(recorder, id);
    } catch (UndeclaredThrowableException | IllegalStateException e) {
      throw new IOException("cannot record: " + e, e);
    }
  }

  private static Map<String, String> settings(Duration period) {
    return Map.of(
        "jdk.ExecutionSample#enabled",
        "true",
        "jdk.ExecutionSample#period",
        period.toMillis() + " ms");
  }

  /**
   * Ends the recording.
   *
   * @param file what was recorded; written by the node's process
   * @throws IOException when the process is gone or cannot write the file
   */
  public void stop(Path file) throws IOException {
    try {
      recorder.stopRecording(id);
      recorder.copyTo(id, file.toString());
      recorder.closeRecording(id);
    } catch (UndeclaredThrowableException e) {
      throw new IOException("cannot end the recording: " + e.getCause(), e);
    }
  }
}

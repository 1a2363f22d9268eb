package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.jfr.consumer.RecordingStream;

/** Watches purgatories with what the JDK has: Flight Recorder and JMX. */
final class Recorded {
  private Recorded() {}

  // sample: recording-stream
  static RecordingStream watch(Consumer<String> log) {
    RecordingStream stream = new RecordingStream();
    stream.enable("dev.purgatory.LateTimeout").with("lateness", "50 ms");
    stream.enable("dev.purgatory.SlowCallback").withThreshold(Duration.ofMillis(50));
    stream.onEvent(
        "dev.purgatory.LateTimeout",
        event -> log.accept("late by " + event.getDuration("lateness").toMillis() + " ms"));
    stream.onEvent(
        "dev.purgatory.SlowCallback",
        event -> log.accept("slow " + event.getString("kind") + ": " + event.getString("request")));
    stream.startAsync();
    return stream;
  }

  // end

  static Purgatory<String> managed() {
    // sample: mxbean
    Purgatory<String> polls = Purgatory.builder("polls", String.class).mxBean().build();
    // end
    return polls;
  }

  // sample: mxbean-attribute
  static long pending(String purgatory) throws JMException {
    ObjectName name = new ObjectName("dev.purgatory:type=Purgatory,name=" + purgatory);
    return (Long) ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Pending");
  }

  // end
}

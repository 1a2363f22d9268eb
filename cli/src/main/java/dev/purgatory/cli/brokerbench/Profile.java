package dev.purgatory.cli.brokerbench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * How much of a broker's work is the purgatory's own.
 *
 * <p>A stack is the purgatory's own if its innermost frame outside of the JDK is. The code of the
 * operations is not: what it takes to find out whether a fetch can be answered, and to answer it,
 * is the broker's work.
 */
final class Profile {
  private static final String SAMPLE = "jdk.ExecutionSample";
  private static final Pattern JDK = Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");
  private static final Pattern OWN =
      Pattern.compile(
          "dev\\.purgatory\\..*"
              + "|org\\.apache\\.kafka\\.server\\.util\\.timer\\..*"
              + "|org\\.apache\\.kafka\\.server\\.purgatory"
              + "\\.(DelayedOperationPurgatory|DelayedOperation|HeldOperation)(\\$.*)?");
  private static final Pattern TIMER =
      Pattern.compile("(dev\\.purgatory|org\\.apache\\.kafka\\.server\\.util)\\.timer\\..*");
  private static final Pattern COUNTS =
      Pattern.compile("dev\\.purgatory\\.kafka\\.(hdr\\.|PurgatoryStats|Micros).*");
  private static final Pattern PURGE =
      Pattern.compile(".*#purgeCompleted|dev\\.purgatory\\.WatchLists?#(purge|tidy|sweep)");

  private final Map<Part, Integer> own = new EnumMap<>(Part.class);
  private int samples;

  /** What the purgatory's own work is made of. */
  enum Part {
    /** Adding to watch lists, completing and taking out, and all that is nothing else. */
    WATCHING,
    /** Going through whole lists for what has ended already. */
    PURGING,
    /** Timing wheels and their clock. */
    TIMER,
    /** The figures of the drop-in. */
    COUNTING;

    String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A frame of a stack.
   *
   * @param type the full name of the class that declares the method
   * @param method its name
   */
  record Frame(String type, String method) {
    @Override
    public String toString() {
      return type + "#" + method;
    }
  }

  /**
   * Reads a recording.
   *
   * @throws IOException when the file cannot be read
   */
  static Profile read(Path recording) throws IOException {
    Profile profile = new Profile();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getEventType().getName().equals(SAMPLE)) {
          profile.add(frames(event.getStackTrace()));
        }
      }
    }
    return profile;
  }

  private static List<Frame> frames(RecordedStackTrace stack) {
    return stack.getFrames().stream().map(Profile::frame).toList();
  }

  private static Frame frame(RecordedFrame frame) {
    return new Frame(frame.getMethod().getType().getName(), frame.getMethod().getName());
  }

  /**
   * Counts a sample.
   *
   * @param stack the innermost frame first
   */
  void add(List<Frame> stack) {
    samples++;
    part(stack).ifPresent(part -> own.merge(part, 1, Integer::sum));
  }

  private static Optional<Part> part(List<Frame> stack) {
    return stack.stream()
        .map(Frame::type)
        .filter(type -> !JDK.matcher(type).matches())
        .findFirst()
        .filter(type -> OWN.matcher(type).matches())
        .map(type -> part(type, stack));
  }

  private static Part part(String type, List<Frame> stack) {
    if (stack.stream().anyMatch(frame -> PURGE.matcher(frame.toString()).matches())) {
      return Part.PURGING;
    }
    if (TIMER.matcher(type).matches()) {
      return Part.TIMER;
    }
    return COUNTS.matcher(type).matches() ? Part.COUNTING : Part.WATCHING;
  }

  /** How many samples there are. */
  int samples() {
    return samples;
  }

  /** How many of a hundred samples are the purgatory's own; 0 of none. */
  double ownPercent() {
    return percent(own.values().stream().mapToInt(Integer::intValue).sum());
  }

  /** How many of a hundred samples are this part of the purgatory's own; 0 of none. */
  double percent(Part part) {
    return percent(own.getOrDefault(part, 0));
  }

  private double percent(int count) {
    return samples == 0 ? 0 : 100.0 * count / samples;
  }
}

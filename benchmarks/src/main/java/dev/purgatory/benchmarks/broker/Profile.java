package dev.purgatory.benchmarks.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Computes which share of a broker's processor time is spent in the purgatory's own code.
 *
 * <p>A sample belongs to the purgatory if its innermost Java frame outside the JDK does: native
 * code and the JDK are attributed to the code that calls them. The operations do not belong to the
 * purgatory, since the broker decides whether a fetch can be answered and answers it. Samples of
 * threads that run no Java code, such as those of the garbage collector, count toward the total.
 */
final class Profile {
  /** A Java frame as async-profiler prints it: class, method, and how it was compiled. */
  private static final Pattern JAVA_FRAME = Pattern.compile("(.+)\\.([^.]+)_\\[[ij01]]");

  private static final Pattern JDK = Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");

  /** The classes of the purgatory. A test checks that each of these patterns matches something. */
  static final List<Pattern> OWN =
      patterns(
          "dev\\.purgatory\\..*",
          "org\\.apache\\.kafka\\.server\\.util\\.timer\\..*",
          "org\\.apache\\.kafka\\.server\\.purgatory\\.DelayedOperationPurgatory(\\$.*)?",
          "org\\.apache\\.kafka\\.server\\.purgatory\\.DelayedOperation(\\$.*)?",
          "org\\.apache\\.kafka\\.server\\.purgatory\\.HeldOperation(\\$.*)?");

  static final List<Pattern> TIMER =
      patterns(
          "dev\\.purgatory\\.timer\\..*",
          "dev\\.purgatory\\.wheel\\..*",
          "org\\.apache\\.kafka\\.server\\.util\\.timer\\..*");

  static final List<Pattern> COUNTS =
      patterns(
          "dev\\.purgatory\\.kafka\\.hdr\\..*",
          "dev\\.purgatory\\.kafka\\.PurgatoryStats.*",
          "dev\\.purgatory\\.kafka\\.Micros.*");

  /** The methods that look for ended operations on lists. */
  static final List<Pattern> PURGE =
      patterns(
          "org\\.apache\\.kafka\\.server\\.purgatory\\..*#purgeCompleted",
          "dev\\.purgatory\\.watch\\.WatchLists#purge.*",
          "dev\\.purgatory\\.watch\\.WatchLists#tidy.*",
          "dev\\.purgatory\\.watch\\.WatchLists#tryTidy.*",
          "dev\\.purgatory\\.watch\\.WatchLists#removeDeadKeys.*",
          "dev\\.purgatory\\.watch\\.WatchLists#removeAll.*",
          "dev\\.purgatory\\.watch\\.WatchList#removeCleared.*",
          "dev\\.purgatory\\.watch\\.WaiterChain#sweep.*",
          "dev\\.purgatory\\.watch\\.Purger#.*");

  private final Map<Part, Integer> own = new EnumMap<>(Part.class);
  private int samples;

  /** The parts of the purgatory's own work. */
  enum Part {
    /** Adding to watch lists, completing, removing, and everything else. */
    WATCHING,
    /** Scanning entire lists for completed operations. */
    PURGING,
    /** The timing wheels and their clock. */
    TIMER,
    /** The counters of the drop-in. */
    COUNTING;

    String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A frame of a stack.
   *
   * @param type the full name of the class that declares the method
   * @param method the name of the method
   */
  record Frame(String type, String method) {
    @Override
    public String toString() {
      return type + "#" + method;
    }
  }

  private static List<Pattern> patterns(String... regexes) {
    return Stream.of(regexes).map(Pattern::compile).toList();
  }

  private static boolean matches(List<Pattern> patterns, String name) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
  }

  /**
   * Reads collapsed stacks. Each line contains the frames, outermost first, and the number of
   * samples.
   *
   * @throws IOException if the file cannot be read
   */
  static Profile read(Path collapsed) throws IOException {
    Profile profile = new Profile();
    for (String line : Files.readAllLines(collapsed)) {
      int space = line.lastIndexOf(' ');
      if (space > 0) {
        profile.add(frames(line.substring(0, space)), Integer.parseInt(line.substring(space + 1)));
      }
    }
    return profile;
  }

  /** Returns the Java frames, innermost first. */
  private static List<Frame> frames(String stack) {
    List<Frame> frames = new ArrayList<>();
    for (String text : stack.split(";", -1)) {
      Matcher frame = JAVA_FRAME.matcher(text);
      if (frame.matches()) {
        frames.add(0, new Frame(frame.group(1), frame.group(2)));
      }
    }
    return frames;
  }

  /**
   * Adds samples.
   *
   * @param stack the Java frames, innermost first
   * @param count the number of samples with this stack
   */
  void add(List<Frame> stack, int count) {
    samples += count;
    part(stack).ifPresent(part -> own.merge(part, count, Integer::sum));
  }

  private static Optional<Part> part(List<Frame> stack) {
    return stack.stream()
        .map(Frame::type)
        .filter(type -> !JDK.matcher(type).matches())
        .findFirst()
        .filter(type -> matches(OWN, type))
        .map(type -> part(type, stack));
  }

  private static Part part(String type, List<Frame> stack) {
    if (stack.stream().anyMatch(frame -> matches(PURGE, frame.toString()))) {
      return Part.PURGING;
    }
    if (matches(TIMER, type)) {
      return Part.TIMER;
    }
    return matches(COUNTS, type) ? Part.COUNTING : Part.WATCHING;
  }

  /** Returns the number of samples. */
  int samples() {
    return samples;
  }

  /** Returns the number of samples in the purgatory's own code. */
  int ownSamples() {
    return own.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the percentage of samples in the purgatory's own code, or 0 without samples. */
  double ownPercent() {
    return percent(ownSamples());
  }

  /** Returns the percentage of samples of a part, or 0 without samples. */
  double percent(Part part) {
    return percent(own.getOrDefault(part, 0));
  }

  private double percent(int count) {
    return samples == 0 ? 0 : 100.0 * count / samples;
  }
}

package dev.purgatory.benchmarks.pair;

import dev.purgatory.Purgatory;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.timer.Timer;
import java.io.File;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Measures another version of the library and this one in turns, in one JVM. */
public final class SideBySide {

  /*
   * What else a machine does changes times by half, for seconds. Turns of a few milliseconds are short against
   * that, so it changes both versions by the same factor, and the median of the ratios of neighbours is far more
   * exact than a ratio of medians of two runs.
   *
   * Each version has a class loader of its own, so the compilers see it alone. They decide differently each time,
   * so the other version is loaded twice: the ratio of the second copy to the first tells what chance does. And
   * several JVMs say more than one.
   */

  private static final int BATCH = 500;
  private static final int WARM_UPS = 6;
  private static final Duration WARM_UP = Duration.ofMillis(150);
  private static final Duration TURN = Duration.ofMillis(5);

  private final List<IntConsumer> versions = new ArrayList<>();
  private final List<double[]> nanos = new ArrayList<>();

  private SideBySide(List<ClassLoader> loaders, Loop loop, int turns)
      throws ReflectiveOperationException {
    for (ClassLoader loader : loaders) {
      versions.add(start(loader, loop));
      nanos.add(new double[turns]);
    }
  }

  /**
   * Prints a line for each loop, with tabs: its name, the nanoseconds of a round with the other
   * version and with this one, the ratio of this one, and that of a second copy of the other
   * version.
   *
   * @param args the class path of the other version; how many turns each copy has; the names of the
   *     loops
   */
  public static void main(String[] args) throws Exception {
    run(
        Stream.of(args[0].split(File.pathSeparator, -1)).map(Path::of).toList(),
        Integer.parseInt(args[1]),
        loops(List.of(args).subList(2, args.length)),
        System.out);
    System.exit(0); // the versions have left threads behind
  }

  private static List<Loop> loops(List<String> names) {
    return names.stream().map(Loop::valueOf).toList();
  }

  static void run(List<Path> other, int turns, List<Loop> loops, PrintStream out)
      throws MalformedURLException, ReflectiveOperationException {
    List<URL> others = new ArrayList<>();
    for (Path each : other) {
      others.add(each.toUri().toURL());
    }
    List<URL> these = List.of(source(Purgatory.class), source(Timer.class));
    List<ClassLoader> loaders = List.of(loader(others), loader(these), loader(others));
    for (Loop loop : loops) {
      SideBySide pair = new SideBySide(loaders, loop, turns);
      pair.measure();
      out.printf(
          Locale.ROOT,
          "%s\t%.1f\t%.1f\t%.3f\t%.3f%n",
          loop,
          pair.median(0),
          pair.median(1),
          pair.ratio(1),
          pair.ratio(2));
    }
  }

  private static ClassLoader loader(List<URL> library) {
    return new URLClassLoader(
        Stream.concat(library.stream(), Stream.of(source(Loop.class))).toArray(URL[]::new),
        ClassLoader.getPlatformClassLoader());
  }

  private static URL source(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source.getLocation();
  }

  /** Starts the loop with the classes of a version. */
  @SuppressWarnings("unchecked") // the class of the same name
  private static IntConsumer start(ClassLoader version, Loop loop)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(Loop.class.getName(), true, version);
    return ((Supplier<IntConsumer>) type.getField(loop.name()).get(null)).get();
  }

  private void measure() {
    for (int i = 0; i < WARM_UPS; i++) {
      for (IntConsumer version : versions) {
        double unused = nanosEach(version, WARM_UP);
      }
    }
    List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
    Random random = new Random(1);
    for (int turn = 0; turn < nanos.get(0).length; turn++) {
      Collections.shuffle(order, random);
      for (int version : order) {
        nanos.get(version)[turn] = nanosEach(versions.get(version), TURN);
      }
    }
  }

  private static double nanosEach(IntConsumer version, Duration length) {
    long start = System.nanoTime();
    long rounds = 0;
    long now;
    do {
      version.accept(BATCH);
      rounds += BATCH;
      now = System.nanoTime();
    } while (now - start < length.toNanos());
    return (now - start) / (double) rounds;
  }

  private double median(int version) {
    return Row.median(DoubleStream.of(nanos.get(version)).boxed().toList());
  }

  /** Returns the median of the ratios of neighbours. */
  private double ratio(int version) {
    return Row.median(
        IntStream.range(0, nanos.get(0).length)
            .mapToObj(turn -> nanos.get(version)[turn] / nanos.get(0)[turn])
            .toList());
  }
}

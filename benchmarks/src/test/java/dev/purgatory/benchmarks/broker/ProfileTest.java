package dev.purgatory.benchmarks.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.purgatory.benchmarks.broker.Profile.Frame;
import dev.purgatory.benchmarks.broker.Profile.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileTest {
  private static final String KAFKA = "org.apache.kafka.server.";
  private static final String BROKER = "kafka.server.KafkaApis#handle";

  private final Profile profile = new Profile();

  /** The methods of the library, the drop-in and Kafka's own purgatory and timer. */
  private static final Set<String> METHODS = methods();

  private static Set<String> methods() {
    JavaClasses ours =
        new ClassFileImporter().importPaths("../core/target/classes", "../kafka/target/classes");
    JavaClasses others =
        new ClassFileImporter()
            .importPackages(KAFKA + "purgatory", KAFKA + "util.timer", "org.HdrHistogram");
    return Stream.concat(ours.stream(), others.stream())
        .flatMap(type -> type.getCodeUnits().stream())
        .map(unit -> relocated(unit.getOwner().getName()) + "#" + unit.getName())
        .collect(Collectors.toSet());
  }

  /** Returns the name in the drop-in's jar, which is made after the tests. */
  private static String relocated(String type) {
    return type.replace("org.HdrHistogram.", "dev.purgatory.kafka.hdr.");
  }

  /** Creates a stack from class and method names, innermost frame first. */
  private static List<Frame> stack(String... frames) {
    return Arrays.stream(frames).map(ProfileTest::frame).toList();
  }

  /** Creates a frame. A name that does not exist would test nothing. */
  private static Frame frame(String name) {
    if (name.matches(
        "(dev\\.purgatory|org\\.apache\\.kafka\\.server\\.(purgatory|util\\.timer))\\..*")) {
      assertThat(name).matches(METHODS::contains, "an existing method");
    }
    String[] parts = name.split("#", -1);
    return new Frame(parts[0], parts[1]);
  }

  @Test
  void shareIsZeroWithoutSamples() {
    assertThat(profile.ownPercent()).isZero();
    assertThat(profile.percent(Part.TIMER)).isZero();
  }

  /** Methods of this library and its drop-in. */
  static final List<String> OWN =
      List.of(
          KAFKA + "purgatory.DelayedOperationPurgatory#checkAndComplete",
          KAFKA + "purgatory.DelayedOperation#forceComplete",
          KAFKA + "purgatory.HeldOperation#run",
          "dev.purgatory.watch.WatchLists#watch",
          "dev.purgatory.wheel.Bucket#sweep",
          "dev.purgatory.wheel.TimerEntry#deadline",
          "dev.purgatory.kafka.PurgatoryStats#held",
          "dev.purgatory.kafka.Micros#record");

  /** Methods that look for ended operations on lists. */
  static final List<String> PURGING =
      List.of(
          "dev.purgatory.watch.WatchLists#purge",
          "dev.purgatory.watch.WatchLists#tidy",
          "dev.purgatory.watch.WatchLists#tryTidy",
          "dev.purgatory.watch.WatchLists#removeDeadKeys",
          "dev.purgatory.watch.WatchLists#removeAll",
          "dev.purgatory.watch.WatchList#removeCleared",
          "dev.purgatory.watch.WaiterChain#sweepNext",
          "dev.purgatory.watch.Purger#purgeByTime");

  @ParameterizedTest
  @FieldSource("OWN")
  @ValueSource(
      strings = {
        KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#watch",
        KAFKA + "util.timer.TimingWheel#add",
        "dev.purgatory.kafka.hdr.Recorder#recordValue"
      })
  void countsCodeOfThePurgatory(String frame) {
    profile.add(stack(frame, BROKER), 1);
    assertThat(profile.ownPercent()).isEqualTo(100);
  }

  static Stream<Pattern> patterns() {
    return Stream.of(Profile.OWN, Profile.TIMER, Profile.COUNTS, Profile.PURGE)
        .flatMap(List::stream);
  }

  /** What a pattern with an old name should find would be counted as something else. */
  @ParameterizedTest
  @MethodSource("patterns")
  void eachPatternMatchesAClassOrAMethod(Pattern pattern) {
    assertThat(METHODS.stream().flatMap(name -> Stream.of(name, name.replaceFirst("#.*", ""))))
        .as(pattern.pattern())
        .filteredOn(name -> pattern.matcher(name).matches())
        .isNotEmpty();
  }

  @Test
  void theDropInContainsItsHistogramsUnderTheNameThatIsCounted() throws IOException {
    assertThat(Files.readString(Path.of("../kafka/pom.xml")))
        .contains("<shadedPattern>dev.purgatory.kafka.hdr</shadedPattern>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka.server.DelayedFetch#tryComplete",
        KAFKA + "purgatory.DelayedProduce#tryComplete",
        KAFKA + "purgatory.DelayedOperationKey#keyLabel",
        KAFKA + "purgatory.TopicPartitionOperationKey#hashCode",
        KAFKA + "util.ShutdownableThread#run",
        "scala.collection.Iterator#next"
      })
  void doesNotCountOtherCode(String frame) {
    profile.add(
        stack(frame, KAFKA + "purgatory.DelayedOperationPurgatory#checkAndComplete", BROKER), 1);
    assertThat(profile.ownPercent()).isZero();
  }

  @Test
  void attributesTheJdkToItsCaller() {
    profile.add(
        stack(
            "java.util.HashMap#get", "jdk.internal.Odd#run", "dev.purgatory.Registration#evaluate"),
        1);
    profile.add(stack("java.util.HashMap#get", BROKER, "dev.purgatory.Purgatory#signal"), 1);
    profile.add(stack("java.lang.Thread#run"), 1);
    profile.add(List.of(), 1);
    assertThat(profile.samples()).isEqualTo(4);
    assertThat(profile.ownPercent()).isEqualTo(25);
  }

  @Test
  void dividesTheShareIntoParts() {
    String purge = KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#purgeCompleted";
    profile.add(stack(KAFKA + "purgatory.DelayedOperation#isCompleted", purge), 1);
    profile.add(stack(KAFKA + "util.timer.TimerTaskList#add", BROKER), 1);
    profile.add(stack("dev.purgatory.wheel.Bucket#sweep", BROKER), 1);
    profile.add(stack("dev.purgatory.kafka.PurgatoryStats#completed", BROKER), 1);
    profile.add(stack("dev.purgatory.watch.WatchList#append", BROKER), 1);
    assertThat(profile.percent(Part.PURGING)).isEqualTo(20);
    assertThat(profile.percent(Part.TIMER)).isEqualTo(40);
    assertThat(profile.percent(Part.COUNTING)).isEqualTo(20);
    assertThat(profile.percent(Part.WATCHING)).isEqualTo(20);
  }

  @ParameterizedTest
  @FieldSource("PURGING")
  @ValueSource(strings = KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#purgeCompleted")
  void scanningEntireListsIsPurging(String frame) {
    profile.add(stack("dev.purgatory.watch.Waiter#inUse", frame, BROKER), 1);
    assertThat(profile.percent(Part.PURGING)).isEqualTo(100);
  }

  @Test
  void readsCollapsedStacks(@TempDir Path folder) throws IOException {
    String stacks =
        """
        start_thread;thread_native_entry;G1ServiceThread::run_service 5
        java.lang.Thread.run_[j];dev.purgatory.timer.Timer.advance_[0];java.util.HashMap.get_[i];__clock 2
        java.lang.Thread.run_[1];kafka.server.KafkaApis.handle_[j];dev.purgatory.Registration.evaluate_[i] 1
        dev.purgatory.Purgatory.signal_[j];kafka.server.DelayedFetch.tryComplete_[j] 4

        """;
    Pattern.compile("(dev\\.purgatory[^;]*)\\.([^;.]*)_\\[")
        .matcher(stacks)
        .results()
        .forEach(found -> frame(found.group(1) + "#" + found.group(2)));

    Path file = Files.writeString(folder.resolve("polls.collapsed"), stacks);
    Profile read = Profile.read(file);

    assertThat(read.samples()).isEqualTo(12);
    assertThat(read.ownSamples()).isEqualTo(3);
    assertThat(read.ownPercent()).isEqualTo(25);
    assertThat(read.percent(Part.TIMER)).isEqualTo(100.0 * 2 / 12);
  }
}

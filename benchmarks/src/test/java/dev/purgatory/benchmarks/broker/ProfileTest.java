package dev.purgatory.benchmarks.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.broker.Profile.Frame;
import dev.purgatory.benchmarks.broker.Profile.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileTest {
  private static final String KAFKA = "org.apache.kafka.server.";
  private static final String BROKER = "kafka.server.KafkaApis#handle";

  private final Profile profile = new Profile();

  /** Creates a stack from class and method names, innermost frame first. */
  private static List<Frame> stack(String... frames) {
    return Arrays.stream(frames)
        .map(frame -> frame.split("#", -1))
        .map(parts -> new Frame(parts[0], parts[1]))
        .toList();
  }

  @Test
  void shareIsZeroWithoutSamples() {
    assertThat(profile.ownPercent()).isZero();
    assertThat(profile.percent(Part.TIMER)).isZero();
  }

  /** Methods of this library and its drop-in, as far as they exist before jars are made. */
  static final List<String> OWN =
      List.of(
          KAFKA + "purgatory.DelayedOperationPurgatory#checkAndComplete",
          KAFKA + "purgatory.DelayedOperation#forceComplete",
          KAFKA + "purgatory.KafkaOperations#onOutcome",
          "dev.purgatory.WatchLists#watch",
          "dev.purgatory.timer.Bucket#sweep",
          "dev.purgatory.internal.TimerEntry#deadline",
          "dev.purgatory.kafka.PurgatoryStats#onHeld",
          "dev.purgatory.kafka.Micros#record");

  /** Methods that look for ended operations on lists. */
  static final List<String> PURGING =
      List.of(
          "dev.purgatory.WatchLists#purge",
          "dev.purgatory.WatchLists#tidy",
          "dev.purgatory.WatchLists#tryTidy",
          "dev.purgatory.WatchLists#removeDeadKeys",
          "dev.purgatory.WatchLists#removeAll",
          "dev.purgatory.WatchList#removeCleared",
          "dev.purgatory.RegistrationChain#sweepNext",
          "dev.purgatory.Purger#purgeByTime");

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

  /** A name that has changed would be counted as something else. */
  @ParameterizedTest
  @FieldSource({"OWN", "PURGING"})
  void methodsThatAreRecognizedByName_exist(String frame) throws IOException {
    String type = frame.substring(0, frame.indexOf('#')).replace('.', '/');
    String method = frame.substring(frame.indexOf('#') + 1);
    Path source =
        Stream.of("core", "kafka")
            .map(module -> Path.of("..", module, "src/main/java", type + ".java"))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow(() -> new AssertionError("no source of " + frame));
    assertThat(Files.readString(source))
        .containsPattern("\\b" + method + "\\([^;]*\\) (throws .*)?\\{");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka.server.DelayedFetch#tryComplete",
        KAFKA + "purgatory.DelayedProduce#tryComplete",
        KAFKA + "purgatory.DelayedOperations#like",
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
        stack("java.util.HashMap#get", "jdk.internal.Odd#run", "dev.purgatory.Registration#get"),
        1);
    profile.add(stack("java.util.HashMap#get", BROKER, "dev.purgatory.Purgatory#check"), 1);
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
    profile.add(stack("dev.purgatory.timer.Bucket#sweep", BROKER), 1);
    profile.add(stack("dev.purgatory.kafka.PurgatoryStats#onExpire", BROKER), 1);
    profile.add(stack("dev.purgatory.WatchList#append", BROKER), 1);
    assertThat(profile.percent(Part.PURGING)).isEqualTo(20);
    assertThat(profile.percent(Part.TIMER)).isEqualTo(40);
    assertThat(profile.percent(Part.COUNTING)).isEqualTo(20);
    assertThat(profile.percent(Part.WATCHING)).isEqualTo(20);
  }

  @ParameterizedTest
  @FieldSource("PURGING")
  @ValueSource(strings = KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#purgeCompleted")
  void scanningEntireListsIsPurging(String frame) {
    profile.add(stack("dev.purgatory.Registration#inUse", frame, BROKER), 1);
    assertThat(profile.percent(Part.PURGING)).isEqualTo(100);
  }

  @Test
  void readsCollapsedStacks(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("polls.collapsed"),
            """
            start_thread;thread_native_entry;G1ServiceThread::run_service 5
            java.lang.Thread.run_[j];dev.purgatory.timer.Timer.advance_[0];java.util.HashMap.get_[i];__clock 2
            java.lang.Thread.run_[1];kafka.server.KafkaApis.handle_[j];dev.purgatory.Registration$1.get_[i] 1
            dev.purgatory.Purgatory.check_[j];kafka.server.DelayedFetch.tryComplete_[j] 4

            """);

    Profile read = Profile.read(file);

    assertThat(read.samples()).isEqualTo(12);
    assertThat(read.ownSamples()).isEqualTo(3);
    assertThat(read.ownPercent()).isEqualTo(25);
    assertThat(read.percent(Part.TIMER)).isEqualTo(100.0 * 2 / 12);
  }
}

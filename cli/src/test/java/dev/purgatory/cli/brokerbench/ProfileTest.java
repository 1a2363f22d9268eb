package dev.purgatory.cli.brokerbench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cli.brokerbench.Profile.Frame;
import dev.purgatory.cli.brokerbench.Profile.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileTest {
  private static final String KAFKA = "org.apache.kafka.server.";
  private static final String BROKER = "kafka.server.KafkaApis#handle";

  private final Profile profile = new Profile();

  /** The innermost frame first, each as class and method. */
  private static List<Frame> stack(String... frames) {
    return Arrays.stream(frames)
        .map(frame -> frame.split("#", -1))
        .map(parts -> new Frame(parts[0], parts[1]))
        .toList();
  }

  @Test
  void ofNothingThereIsNoShare() {
    assertThat(profile.ownPercent()).isZero();
    assertThat(profile.percent(Part.TIMER)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        KAFKA + "purgatory.DelayedOperationPurgatory#checkAndComplete",
        KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#watch",
        KAFKA + "purgatory.DelayedOperation#forceComplete",
        KAFKA + "purgatory.HeldOperation#onComplete",
        KAFKA + "util.timer.TimingWheel#add",
        "dev.purgatory.WatchLists#add",
        "dev.purgatory.kafka.hdr.Recorder#recordValue"
      })
  void thePurgatorysOwnCodeCounts(String frame) {
    profile.add(stack(frame, BROKER));
    assertThat(profile.ownPercent()).isEqualTo(100);
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
  void whatItCallsAndWhatIsOnlyNamedAlikeDoesNot(String frame) {
    profile.add(
        stack(frame, KAFKA + "purgatory.DelayedOperationPurgatory#checkAndComplete", BROKER));
    assertThat(profile.ownPercent()).isZero();
  }

  @Test
  void theJdkCountsForWhoCallsIt() {
    profile.add(stack("java.util.HashMap#get", "jdk.internal.Odd#run", "dev.purgatory.Cell#get"));
    profile.add(stack("java.util.HashMap#get", BROKER, "dev.purgatory.Purgatory#check"));
    profile.add(stack("java.lang.Thread#run"));
    profile.add(List.of());
    assertThat(profile.samples()).isEqualTo(4);
    assertThat(profile.ownPercent()).isEqualTo(25);
  }

  @Test
  void partsMakeUpTheShare() {
    String purge = KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#purgeCompleted";
    profile.add(stack(KAFKA + "purgatory.DelayedOperation#isCompleted", purge));
    profile.add(stack(KAFKA + "util.timer.TimerTaskList#add", BROKER));
    profile.add(stack("dev.purgatory.timer.Bucket#add", BROKER));
    profile.add(stack("dev.purgatory.kafka.PurgatoryStats#onExpire", BROKER));
    profile.add(stack("dev.purgatory.WatchList#add", BROKER));
    assertThat(profile.percent(Part.PURGING)).isEqualTo(20);
    assertThat(profile.percent(Part.TIMER)).isEqualTo(40);
    assertThat(profile.percent(Part.COUNTING)).isEqualTo(20);
    assertThat(profile.percent(Part.WATCHING)).isEqualTo(20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        KAFKA + "purgatory.DelayedOperationPurgatory$Watchers#purgeCompleted",
        "dev.purgatory.WatchLists#tidy",
        "dev.purgatory.WatchList#sweep"
      })
  void goingThroughWholeListsIsPurging(String frame) {
    profile.add(stack("dev.purgatory.Cell#inUse", frame, BROKER));
    assertThat(profile.percent(Part.PURGING)).isEqualTo(100);
  }

  @Test
  void recordingsAreRead(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("busy.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
      recording.start();
      assertThat(busy(Duration.ofSeconds(1))).isNotZero();
      recording.dump(file);
    }
    Profile read = Profile.read(file);
    assertThat(read.samples()).isPositive();
    assertThat(read.ownPercent()).isPositive(); // these tests lie in a package of ours
  }

  private static long busy(Duration time) {
    long begin = System.nanoTime();
    long sum = 1;
    while (System.nanoTime() - begin < time.toNanos()) {
      sum = 31 * sum + 1;
    }
    return sum;
  }
}

package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.purgatory.base.FlightEvents;
import dev.purgatory.testing.ChildJvm;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the events for Java Flight Recorder, and what docs/adapters/flight-recorder.md says of
 * them.
 */
class FlightEventsTest {
  private static final Path PAGE = Path.of("../docs/adapters/flight-recorder.md");
  private static final Path SETTINGS = Path.of("../docs/adapters/flight-recorder/purgatory.jfc");
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String LATE_TIMEOUT = "dev.purgatory.LateTimeout";
  private static final String LATE_CLOCK = "dev.purgatory.LateClock";
  private static final String SLOW_CALLBACK = "dev.purgatory.SlowCallback";
  private static final String REJECTION = "dev.purgatory.Rejection";
  private static final String SWEEP = "dev.purgatory.Sweep";

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Recording recording = new Recording();
  private @TempDir Path folder;
  private Purgatory<String> polls = purgatory(Runnable::run);

  private Purgatory<String> purgatory(Executor executor) {
    return Purgatory.builder("polls", String.class)
        .timer(timer)
        .expirationExecutor(executor)
        .listener(new PurgatoryListener() {})
        .limit(Limit.builder("few").requests(10_000).build())
        .build();
  }

  @BeforeEach
  void start() {
    recording.start();
  }

  @AfterEach
  void stop() {
    recording.close();
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private List<RecordedEvent> recorded(String type) {
    Path file = folder.resolve(type);
    try {
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().equals(type))
          .filter(FlightEventsTest::isOfThisTest)
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The clock of another test may still run. */
  private static boolean isOfThisTest(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    return (thread != null && thread.getJavaThreadId() == Thread.currentThread().getId())
        || (event.hasField("purgatory") && "polls".equals(event.getString("purgatory")));
  }

  private HeldFuture<String> poll(String... keys) {
    return polls.<String>until(() -> null).orAfter(LIMIT, () -> "none").hold(keys);
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void lateTimeout_tellsHowLateTheRequestWas_from10MillisOn() {
    assertThat(poll("a")).isNotDone();
    pass(LIMIT.plusMillis(9));
    assertThat(poll("b")).isNotDone();
    pass(LIMIT.plusMillis(10));
    HeldFuture<String> moved = poll("c");
    assertThat(moved.reschedule(Duration.ofSeconds(1))).isTrue();
    pass(Duration.ofSeconds(2));
    assertThat(moved).isDone();
    assertThat(recorded(LATE_TIMEOUT))
        .extracting(
            event -> event.getString("purgatory"),
            event -> event.getDuration("lateness"),
            event -> event.getDuration("held"))
        .containsExactly(
            tuple("polls", Duration.ofMillis(10), LIMIT.plusMillis(10)),
            tuple("polls", Duration.ofSeconds(1), Duration.ofSeconds(2)));
  }

  @Test
  void lateness_canBeSet_andAnythingElseIsTheDefault() {
    recording.enable(LATE_TIMEOUT).with("lateness", "1 s");
    recording.enable(LATE_CLOCK).with("lateness", "soon");
    assertThat(poll("a")).isNotDone();
    pass(LIMIT.plusMillis(999));
    assertThat(poll("b")).isNotDone();
    pass(LIMIT.plusMillis(1_000));
    assertThat(poll("c")).isNotDone();
    pass(LIMIT.plusMillis(9));
    assertThat(recorded(LATE_TIMEOUT)).hasSize(1);
    assertThat(recorded(LATE_CLOCK)).hasSize(2);
  }

  @Test
  void leastLateness_servesAllRecordings() {
    recording.enable(LATE_TIMEOUT).with("lateness", "1 h");
    try (Recording other = new Recording()) {
      other.enable(LATE_TIMEOUT).with("lateness", "20ms");
      other.start();
      assertThat(poll("a")).isNotDone();
      pass(LIMIT.plusMillis(20));
      assertThat(poll("b")).isNotDone();
      pass(LIMIT.plusMillis(19));
    }
    assertThat(recorded(LATE_TIMEOUT)).hasSize(1);
  }

  @Test
  void lateClock_isRecordedOncePerTick_withTheNumberOfTimeouts() {
    List<String> ran = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Object unused = timer.schedule(() -> ran.add("task"), Duration.ofMillis(500));
    }
    assertThat(timer.schedule(() -> ran.add("late"), Duration.ofSeconds(1)).isPending()).isTrue();
    pass(Duration.ofSeconds(3));
    assertThat(ran).hasSize(4);
    assertThat(recorded(LATE_CLOCK))
        .extracting(event -> event.getDuration("lateness"), event -> event.getInt("fired"))
        .containsExactly(tuple(Duration.ofMillis(2_500), 3), tuple(Duration.ofSeconds(2), 1));
  }

  @Test
  void slowCallback_tellsWhatRanForWhichRequest() {
    recording.enable(SLOW_CALLBACK).withThreshold(Duration.ZERO);
    assertThat(poll("a", "b")).isNotDone();
    Runnable task =
        new Runnable() {
          @Override
          public void run() {}

          @Override
          public String toString() {
            return "my task";
          }
        };
    assertThat(timer.schedule(task, LIMIT).isPending()).isTrue();
    assertThat(timer.schedule(task, LIMIT).reschedule(Duration.ofSeconds(1))).isTrue();
    pass(LIMIT);
    List<RecordedEvent> events = recorded(SLOW_CALLBACK);
    assertThat(events)
        .extracting(event -> event.getString("kind"))
        .containsOnly("condition", "answer", "listener", "executor", "task");
    assertThat(of("condition", events)).hasSize(3); // twice to hold it, once at the timeout
    assertThat(of("answer", events)).hasSize(1);
    assertThat(of("listener", events)).hasSize(2); // held, ended
    assertThat(of("executor", events)).hasSize(1);
    assertThat(of("task", events))
        .extracting(event -> event.getString("request"), event -> event.getString("purgatory"))
        .containsExactly(tuple("my task", null), tuple("my task", null));
    assertThat(of("condition", events))
        .allSatisfy(
            event -> {
              assertThat(event.getString("purgatory")).isEqualTo("polls");
              assertThat(event.getString("request")).contains("keys [a, b]");
            });
  }

  private static List<RecordedEvent> of(String kind, List<RecordedEvent> events) {
    return events.stream().filter(event -> kind.equals(event.getString("kind"))).toList();
  }

  @Test
  void slowCallback_containsRequestsThatCannotBeDescribed_andCutsLongOnes() {
    recording.enable(SLOW_CALLBACK).withThreshold(Duration.ZERO);
    RecordingOperation hostile =
        new RecordingOperation(LIMIT) {
          @Override
          public String toString() {
            throw new IllegalStateException("hostile");
          }
        };
    RecordingOperation talkative =
        new RecordingOperation(LIMIT) {
          @Override
          public String toString() {
            return "x".repeat(100_000);
          }
        };
    assertThat(polls.hold(hostile.condition(true), "a")).isTrue();
    assertThat(polls.hold(talkative.condition(true), "a")).isTrue();
    assertThat(of("answer", recorded(SLOW_CALLBACK)))
        .extracting(event -> event.getString("request"))
        .containsExactly("(toString threw java.lang.IllegalStateException)", "x".repeat(199) + "…");
  }

  @Test
  void slowCallback_isRecordedIfItThrows() {
    recording.enable(SLOW_CALLBACK).withThreshold(Duration.ZERO);
    HeldFuture<String> failed =
        polls
            .<String>until(
                () -> {
                  throw new IllegalStateException("broken");
                })
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(failed).isCompletedExceptionally();
    assertThat(of("condition", recorded(SLOW_CALLBACK))).hasSize(1);
  }

  @Test
  void callbacks_areNotRecorded_belowTheThreshold() {
    recording.enable(SLOW_CALLBACK).withThreshold(Duration.ofDays(1));
    assertThat(poll("a")).isNotDone();
    pass(LIMIT);
    assertThat(recorded(SLOW_CALLBACK)).isEmpty();
  }

  @Test
  void rejection_tellsWhatRefused() {
    Purgatory<String> one =
        Purgatory.builder("one", String.class)
            .timer(timer)
            .limit(Limit.builder("single").requests(1).build())
            .completionExecutor(
                task -> {
                  throw new RejectedExecutionException("too busy");
                })
            .build();
    HeldFuture<String> held = one.<String>until(() -> null).orTimeout(LIMIT).hold("a");
    assertThat(one.until(() -> null).forever().hold("a")).isCompletedExceptionally();
    assertThat(held.cancel(false)).isTrue();
    one.close();
    assertThat(one.until(() -> null).forever().hold("a")).isCompletedExceptionally();
    List<RecordedEvent> events = recorded(REJECTION);
    assertThat(events)
        .extracting(event -> event.getString("purgatory"), event -> event.getString("kind"))
        .containsExactly(tuple("one", "limit"), tuple("one", "executor"), tuple("one", "closed"));
    assertThat(events)
        .extracting(event -> event.getString("reason"))
        .satisfiesExactly(
            limit -> assertThat(limit).contains("Limit[single, requests 1 of 1"),
            executor -> assertThat(executor).contains("too busy"),
            closed -> assertThat(closed).contains("one is closed"));
  }

  @Test
  void sweep_tellsHowMuchWasVisitedAndRemoved() {
    recording.enable(SWEEP).withThreshold(Duration.ZERO);
    List<HeldFuture<String>> polled =
        IntStream.range(0, 1_100).mapToObj(i -> poll("key " + i)).toList();
    assertThat(polled).allMatch(each -> each.cancel(false));
    Threads.until(() -> !WatchListsView.isPurging(polls)); // by number
    assertThat(poll("last").cancel(false)).isTrue();
    TimerInternals.of(timer).wheels().purge();
    pass(Duration.ofMillis(500));
    Threads.until(() -> !WatchListsView.isPurging(polls) && polls.inspect().keys() == 0); // by time
    List<RecordedEvent> events = recorded(SWEEP);
    assertThat(of("entries", events))
        .anySatisfy(
            event -> {
              assertThat(event.getString("purgatory")).isEqualTo("polls");
              assertThat(event.getLong("visited")).isGreaterThan(1_000);
              assertThat(event.getLong("removed")).isGreaterThan(1_000);
            });
    assertThat(of("keys", events))
        .anySatisfy(
            event -> {
              assertThat(event.getLong("visited")).isGreaterThan(0);
              assertThat(event.getLong("removed")).isBetween(1L, 100L);
            });
    assertThat(of("timer", events).stream().mapToLong(event -> event.getLong("removed")).sum())
        .isEqualTo(1_100); // the last one had no bucket
  }

  @Test
  void disabledEvents_readNoClock_andMakeNoObjects() {
    assertThat(FlightEvents.beginCall()).as("callbacks are disabled by default").isNull();
    types().keySet().forEach(recording::disable);
    assertThat(FlightEvents.beginSweep()).isNull();
    assertThat(FlightEvents.recordsLateTimeouts()).isFalse();
    assertThat(FlightEvents.recordsLateClocks()).isFalse();
    assertThat(readsOfATimeout()).isPositive(); // the first one also sets an alarm
    long disabled = readsOfATimeout();
    for (String late : List.of(LATE_TIMEOUT, LATE_CLOCK)) {
      recording.enable(late);
      assertThat(readsOfATimeout()).as(late).isGreaterThan(disabled);
      recording.disable(late);
    }
    recording.close();
    assertThat(FlightEvents.beginCall()).isNull();
    assertThat(readsOfATimeout()).isEqualTo(disabled);
  }

  private long readsOfATimeout() {
    long before = ticker.reads();
    assertThat(poll("a")).isNotDone();
    pass(LIMIT);
    return ticker.reads() - before;
  }

  @Test
  void withoutTheModules_theLibraryWorks() throws Exception {
    assertThat(run(WithoutModules.class, "--limit-modules", "java.base").strip())
        .isEqualTo("false none the runtime has no module java.management");
  }

  /** Loading the recorder's classes takes longer than many timeouts. */
  @Test
  void withoutARecording_noClassOfTheRecorderIsLoaded() throws Exception {
    String log = run(WithoutARecording.class, "-Xlog:class+load");
    assertThat(log).contains("none", "FlightEvents ", "true\n");
    assertThat(log).doesNotContain("jdk.jfr.internal", "jdk.jfr.Event");
  }

  @Test
  void recordingThatStartsLater_hasTheEventsFromThenOn() throws Exception {
    assertThat(run(RecordingLater.class).strip()).isEqualTo("[10 ms]");
  }

  /** Runs a program in a new JVM, and returns its output. */
  private String run(Class<?> program, String... options) throws Exception {
    return ChildJvm.run(folder, List.of(options), program);
  }

  private static boolean hasRecorder() {
    return ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  }

  /** Runs on a runtime that has neither jdk.jfr nor java.management. */
  static final class WithoutModules {
    public static void main(String[] args) {
      String refusal = "";
      try {
        Purgatory.builder("polls", String.class).mxBean();
      } catch (IllegalStateException e) {
        refusal = String.valueOf(e.getMessage());
      }
      try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build()) {
        HeldFuture<String> poll =
            polls.<String>until(() -> null).orAfter(Duration.ofMillis(1), () -> "none").hold("a");
        System.out.println(hasRecorder() + " " + poll.join() + " " + refusal);
      }
    }
  }

  /** Uses what records events, on its own clock. */
  static final class WithoutARecording {
    public static void main(String[] args) throws InterruptedException {
      CountDownLatch fired = new CountDownLatch(1);
      try (Timer timer = Timer.builder().start("clock");
          Purgatory<String> polls = Purgatory.builder("polls", String.class).timer(timer).build()) {
        timer.schedule(fired::countDown, Duration.ofMillis(1)).reschedule(Duration.ZERO);
        Threads.await(fired);
        HeldFuture<String> poll =
            polls.<String>until(() -> null).orAfter(Duration.ofMillis(1), () -> "none").hold("a");
        System.out.println(poll.join());
        TimerInternals.of(timer).wheels().purge();
        System.out.println(hasRecorder());
      }
    }
  }

  /** Is 50 ms late without a recorder, then 10 ms late in a recording. */
  static final class RecordingLater {
    public static void main(String[] args) throws IOException {
      ManualTicker ticker = new ManualTicker();
      Timer timer = Timer.builder().ticker(ticker).build();
      fireLate(timer, ticker, 50);
      try (Recording recording = new Recording()) {
        recording.start();
        fireLate(timer, ticker, 10);
        Path file = Files.createTempFile("later", ".jfr");
        recording.dump(file);
        List<String> late =
            RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(LATE_CLOCK))
                .map(event -> event.getDuration("lateness").toMillis() + " ms")
                .toList();
        Files.delete(file);
        System.out.println(late);
      }
    }

    private static void fireLate(Timer timer, ManualTicker ticker, long millis) {
      Timeout unused = timer.schedule(() -> {}, Duration.ofMillis(1));
      ticker.advance(Duration.ofMillis(1 + millis));
      timer.advance();
    }
  }

  // The page and the settings.

  private static Map<String, EventType> types() {
    return FlightRecorder.getFlightRecorder().getEventTypes().stream()
        .filter(type -> type.getName().startsWith("dev.purgatory."))
        .collect(Collectors.toMap(EventType::getName, type -> type));
  }

  @Test
  void settings_nameEachEvent_andStartARecording() throws IOException, ParseException {
    Map<String, String> settings = Configuration.create(SETTINGS).getSettings();
    assertThat(
            settings.keySet().stream()
                .map(setting -> setting.substring(0, setting.indexOf('#')))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(types().keySet());
    assertThat(settings)
        .allSatisfy(
            (setting, value) -> {
              String[] parts = setting.split("#", 2);
              assertThat(requireNonNull(types().get(parts[0])).getSettingDescriptors())
                  .anySatisfy(each -> assertThat(each.getName()).isEqualTo(parts[1]));
            });
    recording.setSettings(settings);
    assertThat(poll("a")).isNotDone();
    pass(LIMIT.plusSeconds(1));
    assertThat(recorded(LATE_TIMEOUT)).hasSize(1);
  }

  @Test
  void page_namesEachFieldOfEachEvent() throws IOException {
    String page = Files.readString(PAGE);
    for (EventType type : types().values()) {
      String name = type.getName().substring("dev.purgatory.".length());
      Matcher section =
          Pattern.compile("### `" + name + "`\n(.*?)(?=\n##|\\z)", Pattern.DOTALL).matcher(page);
      assertThat(section.find()).as(name).isTrue();
      Stream<String> fields =
          Pattern.compile("^\\| `(\\w+)` ", Pattern.MULTILINE)
              .matcher(section.group(1))
              .results()
              .map(found -> found.group(1));
      assertThat(fields).as(name).containsExactlyInAnyOrderElementsOf(ownFields(type));
    }
  }

  private static List<String> ownFields(EventType type) {
    return type.getFields().stream()
        .map(ValueDescriptor::getName)
        .filter(
            name -> !List.of("startTime", "duration", "eventThread", "stackTrace").contains(name))
        .toList();
  }
}

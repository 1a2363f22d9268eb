package dev.purgatory.examples.replicatedlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The leader, without sockets and in virtual time. */
class LeaderTest {
  private static final Set<String> REPLICAS = Set.of("r1", "r2", "r3");
  private static final long WRITE_LIMIT = Duration.ofMillis(300).toNanos();
  private static final long FETCH_LIMIT = Duration.ofMillis(200).toNanos();

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private final Timer timer = Timer.builder().ticker(nanos::get).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("test", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();
  private LogFile log;
  private Leader leader;

  @BeforeEach
  void start() throws IOException {
    log = LogFile.open(directory.resolve("log"));
    leader = new Leader("r1", REPLICAS, log, purgatory);
  }

  @Test
  void write_isAcknowledged_whenTwoOfThreeHaveIt() {
    HeldFuture<Map<String, Long>> write = leader.write("a", 2);
    CompletableFuture<List<String>> fetch = leader.fetch("r2", 0);
    assertThat(fetch).isCompletedWithValue(List.of("a"));
    assertThat(write).isNotDone(); // sent, but r2 has not said that it has it
    CompletableFuture<List<String>> next = leader.fetch("r2", 1);
    assertThat(write).isCompletedWithValue(Map.of("r1", 1L, "r2", 1L));
    assertThat(next).isNotDone();
  }

  @Test
  void write_withoutQuorum_fails_neverEarly_andIsKept() {
    HeldFuture<Map<String, Long>> write = leader.write("a", 2);
    advance(WRITE_LIMIT - 1);
    assertThat(write).isNotDone();
    advance(1);
    assertThat(write.cause())
        .isInstanceOf(TimeoutException.class)
        .hasMessage("only 1 of 3 replicas have it, 2 must");
    assertThat(purgatory.pending()).isZero();
    assertThat(leader.fetch("r2", 0)).isCompletedWithValue(List.of("a"));
  }

  @Test
  void write_toAllReplicas_waitsForTheLast() {
    HeldFuture<Map<String, Long>> write = leader.write("a", 3);
    confirm("r3", 1);
    assertThat(write).isNotDone();
    confirm("r2", 1);
    assertThat(write).isCompletedWithValue(Map.of("r1", 1L, "r2", 1L, "r3", 1L));
  }

  @Test
  void fetch_acknowledgesTheWritesBeforeIt_andNoOthers() {
    List<HeldFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      writes.add(leader.write("entry " + i, 2));
    }
    confirm("r2", 500);
    assertThat(writes.subList(0, 500)).allMatch(CompletableFuture::isDone);
    assertThat(writes.subList(500, 1000)).noneMatch(CompletableFuture::isDone);
    assertThat(purgatory.pending()).isEqualTo(500);
  }

  @Test
  void fetch_atTheEnd_waitsForTheNextEntry() {
    CompletableFuture<List<String>> fetch = leader.fetch("r2", 0);
    assertThat(fetch).isNotDone();
    write("a", 2);
    assertThat(fetch).isCompletedWithValue(List.of("a"));
  }

  @Test
  void fetch_withoutNewEntries_isEmptyAfterItsLimit() {
    CompletableFuture<List<String>> fetch = leader.fetch("r2", 0);
    advance(FETCH_LIMIT - 1);
    assertThat(fetch).isNotDone();
    advance(1);
    assertThat(fetch).isCompletedWithValue(List.of());
    assertThat(purgatory.pending()).isZero();
  }

  @Test
  void rejoiningFollower_catchesUp() {
    for (int i = 0; i < 250; i++) {
      write("entry " + i, 2);
    }
    confirm("r2", 250);
    List<String> copied = new ArrayList<>(log.read(0, 10)); // what it had before
    for (int batch = 0; batch < 3; batch++) { // of at most 100 entries
      copied.addAll(leader.fetch("r3", copied.size()).getNow(List.of()));
    }
    assertThat(copied).isEqualTo(log.read(0, 250));
    assertThat(leader.write("last", 3)).isNotDone();
    assertThat(leader.fetch("r3", 250)).isCompletedWithValue(List.of("last"));
  }

  @Test
  void restartedLeader_servesTheEntriesOfItsLog() throws IOException {
    write("a", 2);
    Leader restarted =
        new Leader("r1", REPLICAS, LogFile.open(directory.resolve("log")), purgatory);
    assertThat(restarted.fetch("r2", 0)).isCompletedWithValue(List.of("a"));
  }

  @Test
  void badArguments_areRejected_beforeAnythingChanges() {
    assertThatThrownBy(() -> leader.write("a", 0)).hasMessage("0 copies on 3 replicas");
    assertThatThrownBy(() -> leader.write("a", 4)).hasMessage("4 copies on 3 replicas");
    assertThatThrownBy(() -> leader.write("a\nb", 2)).hasMessage("an entry is one line");
    assertThatThrownBy(() -> leader.fetch("r4", 0)).hasMessage("r4 is not a follower");
    assertThatThrownBy(() -> leader.fetch("r1", 0)).hasMessage("r1 is not a follower");
    assertThatThrownBy(() -> leader.fetch("r2", 1))
        .hasMessage("r2 has 1 entries, and the leader has 0");
    assertThatThrownBy(() -> leader.fetch("r2", -1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(log.end()).isZero();
    assertThat(purgatory.pending()).isZero();
  }

  @Test
  void close_failsWhatWaits() {
    HeldFuture<?> write = leader.write("a", 2);
    CompletableFuture<?> fetch = leader.fetch("r2", 1);
    leader.close();
    assertThat(write.isDone() && fetch.isDone()).isTrue();
    assertThat(timer.size()).isZero();
  }

  /** Lets a follower say how many entries it has. */
  private void confirm(String follower, int entries) {
    CompletableFuture<?> unused = leader.fetch(follower, entries);
  }

  private void write(String entry, int copies) {
    CompletableFuture<?> unused = leader.write(entry, copies);
  }

  private void advance(long byNanos) {
    nanos.addAndGet(byNanos);
    timer.advance();
  }
}

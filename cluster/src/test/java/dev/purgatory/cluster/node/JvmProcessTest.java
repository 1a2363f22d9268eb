package dev.purgatory.cluster.node;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class JvmProcessTest {
  private static final int THREADS = 8;

  /** Threads that count in a file, each in its own line of the cache. */
  static final class Counters {
    static final int BYTES = THREADS * 64;

    static MappedByteBuffer open(Path file) throws IOException {
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        return channel.map(MapMode.READ_WRITE, 0, BYTES);
      }
    }

    public static void main(String[] args) throws IOException {
      MappedByteBuffer counters = open(Path.of(args[0]));
      for (int i = 0; i < BYTES; i += 64) {
        int place = i;
        new Thread(
                () -> {
                  for (int count = 1; ; count++) {
                    counters.putInt(place, count);
                  }
                })
            .start();
      }
    }
  }

  @Test
  @Timeout(60)
  @EnabledOnOs(OS.LINUX)
  void pausedProcess_hasNoThreadThatRuns(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("counters"), new byte[Counters.BYTES]);
    MappedByteBuffer counters = Counters.open(file);
    JvmProcess process = new JvmProcess("counters", folder.resolve("log"));
    String classes = System.getProperty("java.class.path");
    process.start(List.of("-cp", classes, Counters.class.getName(), file.toString()));
    try {
      for (int i = 0; i < 20; i++) {
        awaitChange(counters);
        process.pause();
        byte[] paused = read(counters);
        Thread.sleep(10);
        assertThat(read(counters)).isEqualTo(paused);
        process.resume();
      }
    } finally {
      process.kill();
    }
  }

  /** Its log says why it has ended, so it must be kept. */
  @Test
  @Timeout(60)
  void signalToAProcessThatHasEnded_refersToItsLog(@TempDir Path folder) throws Exception {
    JvmProcess process = new JvmProcess("process", folder.resolve("log"));
    process.start(List.of("-version"));
    process.awaitEnd();
    assertThatThrownBy(process::resume)
        .isInstanceOfSatisfying(
            NodeFailure.class, failure -> assertThat(failure.isInLog()).isTrue());
  }

  private static void awaitChange(MappedByteBuffer counters) throws InterruptedException {
    byte[] before = read(counters);
    while (Arrays.equals(before, read(counters))) {
      Thread.sleep(1);
    }
  }

  private static byte[] read(MappedByteBuffer counters) {
    byte[] bytes = new byte[Counters.BYTES];
    counters.get(0, bytes);
    return bytes;
  }
}

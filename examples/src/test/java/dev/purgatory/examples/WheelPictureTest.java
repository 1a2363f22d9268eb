package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.console.WheelDrawing;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that the picture in docs/design.md is what a real timer looks like. */
class WheelPictureTest {
  private static final Path DRAWN = Path.of("target/timing-wheels.svg");
  private static final Path PUBLISHED = Path.of("../docs/charts/timing-wheels.svg");
  private static final Path PAGE = Path.of("../docs/design.md");

  /** When the tasks are due, in milliseconds. One of those in the same bucket is cancelled. */
  private static final List<Integer> DUE = List.of(2, 2, 5, 9, 11, 14, 22, 45);

  private static final int CANCELLED = 4;

  private long now;
  private final Timer timer = Timer.builder().ticker(() -> now).wheelSize(4).build();

  private String drawingAt(int millis) {
    now = Duration.ofMillis(millis).toNanos();
    timer.advance();
    return WheelDrawing.of(timer);
  }

  @Test
  void pictureOfTheDocs_isDrawnFromATimer() throws IOException {
    List<Timeout> tasks =
        DUE.stream().map(due -> timer.schedule(() -> {}, Duration.ofMillis(due))).toList();
    assertThat(drawingAt(0)).contains("8 scheduled"); // now each has its bucket
    assertThat(tasks.get(CANCELLED).cancel()).isTrue();
    String picture =
        new WheelPicture()
            .add("at 0 ms", 0, drawingAt(0))
            .add("at 4 ms", 4, drawingAt(4))
            .svg("Timing wheels of a timer with 4 buckets per wheel and a tick of 1 ms");
    Files.createDirectories(DRAWN.getParent());
    Files.writeString(DRAWN, picture);

    assertThat(PUBLISHED).as("copy " + DRAWN + " there if the change is meant").hasContent(picture);
    assertThat(PAGE).content().contains("](charts/timing-wheels.svg)");
  }
}

package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/**
 * Draws the picture in docs/use/top.md from the recording beside it, as a moving SVG. To record
 * anew, run {@code ./purgatory top > docs/use/top/top.txt} while {@code ./purgatory demo} runs,
 * then this test, and copy the picture.
 */
class TopPictureTest {
  private static final Path RECORDED = Path.of("../docs/use/top/top.txt");
  private static final Path DRAWN = Path.of("target/top.svg");
  private static final Path PUBLISHED = Path.of("../docs/use/top/top.svg");
  private static final Path PAGE = Path.of("../docs/use/top.md");

  private static final double COLUMN = 7.3;
  private static final int LINE = 16;
  private static final int MARGIN = 12;

  /** How many seconds of the recording are drawn. */
  private static final int MOST_FRAMES = 15;

  private static List<List<String>> frames(String recording) {
    List<List<String>> frames = new ArrayList<>();
    for (String line : recording.lines().toList()) {
      if (line.startsWith("purgatory ")) {
        frames.add(new ArrayList<>());
      }
      if (!line.isEmpty()) {
        frames.get(frames.size() - 1).add(line);
      }
    }
    return frames.subList(0, Math.min(MOST_FRAMES, frames.size()));
  }

  /** Shows each frame for a second, or the first one where nothing moves. */
  private static String draw(List<List<String>> frames) {
    int columns =
        frames.stream().flatMap(List::stream).mapToInt(String::length).max().orElseThrow();
    int rows = frames.stream().mapToInt(List::size).max().orElseThrow();
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$.0f %2$d" role="img">
            <title>./purgatory top: %3$d seconds of its table</title>
            <style>
            rect { fill: #f6f8fa; }
            text { fill: #24292f; font: 12px ui-monospace, Menlo, Consolas, monospace; white-space: pre; }
            .head { fill: #57606a; }
            @media (prefers-color-scheme: dark) {
              rect { fill: #14181d; } text { fill: #e6edf3; } .head { fill: #9aa5b1; }
            }
            g { animation: show %3$ds step-end infinite; }
            g + g { opacity: 0; }
            @keyframes show { 0%% { opacity: 1; } %4$.3f%%, 100%% { opacity: 0; } }
            @media (prefers-reduced-motion: reduce) { g { animation: none; } }
            </style>
            <rect width="100%%" height="100%%" rx="6"/>
            """,
            columns * COLUMN + 2 * MARGIN,
            rows * LINE + 2 * MARGIN,
            frames.size(),
            100.0 / frames.size()));
    for (int i = 0; i < frames.size(); i++) {
      svg.append("<g style=\"animation-delay: ").append(i).append("s\">\n");
      List<String> lines = frames.get(i);
      for (int row = 0; row < lines.size(); row++) {
        svg.append(
            String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\"%s>%s</text>\n",
                MARGIN,
                MARGIN + (row + 1) * LINE - 4,
                row == 0 ? " class=\"head\"" : "",
                lines.get(row).replace("&", "&amp;").replace("<", "&lt;")));
      }
      svg.append("</g>\n");
    }
    return svg.append("</svg>\n").toString();
  }

  @Test
  void pictureOfTheDocs_isTheRecording() throws Exception {
    String recording = Files.readString(RECORDED);
    List<List<String>> frames = frames(recording);
    assertThat(frames).hasSize(MOST_FRAMES).allMatch(frame -> frame.size() >= 4);
    String picture = draw(frames);
    Files.createDirectories(DRAWN.getParent());
    Files.writeString(DRAWN, picture);
    assertThat(text(picture)).as("nothing is lost").isEqualTo(frames);

    assertThat(PUBLISHED).as("copy " + DRAWN + " there if the change is meant").hasContent(picture);
    assertThat(PAGE).content().contains("](top/top.svg)");
  }

  /** Reads the lines of each frame again. */
  private static List<List<String>> text(String picture) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)));
    List<List<String>> frames = new ArrayList<>();
    var groups = document.getElementsByTagName("g");
    for (int i = 0; i < groups.getLength(); i++) {
      List<String> lines = new ArrayList<>();
      groups.item(i).getTextContent().strip().lines().forEach(lines::add);
      frames.add(lines);
    }
    return frames;
  }
}

package dev.purgatory.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Small pieces of HTML. */
final class Html {
  private static final String STYLE = "report.css";

  private Html() {}

  /** An element that holds text. */
  static String element(String tag, String text) {
    return "<" + tag + ">" + escape(text) + "</" + tag + ">\n";
  }

  /** Text that is not taken for markup. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** A name made of lower-case letters, digits and dashes. */
  static String plain(String name) {
    String dashes = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return dashes.replaceAll("^-+|-+$", "");
  }

  /** The style sheet. */
  static String style() {
    try (InputStream in = Html.class.getResourceAsStream(STYLE)) {
      if (in == null) {
        throw new IllegalStateException("not in the jar: " + STYLE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

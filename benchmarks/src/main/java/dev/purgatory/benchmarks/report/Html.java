package dev.purgatory.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Helpers for HTML. */
final class Html {
  private static final String STYLE = "report.css";

  private Html() {}

  /** Returns an element that contains text. */
  static String element(String tag, String text) {
    return "<" + tag + ">" + escape(text) + "</" + tag + ">\n";
  }

  /** Escapes text. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Converts a name to lower-case letters, digits and dashes. */
  static String slug(String name) {
    String dashes = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return dashes.replaceAll("^-+|-+$", "");
  }

  /** Returns the style sheet. */
  static String style() {
    try (InputStream in = Html.class.getResourceAsStream(STYLE)) {
      if (in == null) {
        throw new IllegalStateException("missing resource: " + STYLE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

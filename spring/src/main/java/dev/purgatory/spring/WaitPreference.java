package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.util.StringValueResolver;

/**
 * How long a request may wait, by its {@code Prefer} headers and by the {@link PreferredWait} of
 * its handler.
 *
 * @param timeout the time
 * @param isApplied whether the client asked for it
 */
record WaitPreference(Duration timeout, boolean isApplied) {

  static final String PREFER = "Prefer";

  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
  private static final String VALUE =
      "(?:[ \\t]*+=[ \\t]*+(" + TOKEN + "|\"(?:[^\"\\\\]|\\\\.)*+\")?+)?+";

  /** One preference of a list, with its parameters; the groups are its name and its value. */
  private static final Pattern PREFERENCE =
      Pattern.compile(
          "\\G[ \\t,]*+("
              + TOKEN
              + ")"
              + VALUE
              + "(?:[ \\t]*+;[ \\t]*+(?:"
              + TOKEN
              + VALUE
              + ")?+)*+[ \\t]*+(?:,|$)");

  private static final Pattern SECONDS = Pattern.compile("0*([0-9]{1,18})|[0-9]+");

  static boolean isWanted(MethodParameter parameter) {
    return parameter.hasParameterAnnotation(PreferredWait.class)
        && parameter.getParameterType() == Duration.class;
  }

  /**
   * Reads what a client prefers.
   *
   * @param parameter has the annotation
   * @param placeholders replaces them by their values
   * @param headers the values of all {@code Prefer} headers
   * @throws IllegalArgumentException if the annotation has no valid durations
   */
  static WaitPreference of(
      MethodParameter parameter, StringValueResolver placeholders, List<String> headers) {
    PreferredWait wanted = requireNonNull(parameter.getParameterAnnotation(PreferredWait.class));
    Duration usual = duration(placeholders, wanted.value());
    Duration most = wanted.max().isEmpty() ? usual : duration(placeholders, wanted.max());
    if (most.compareTo(usual) < 0) {
      throw new IllegalArgumentException(wanted + ": max is shorter than the value");
    }
    Long seconds = seconds(headers);
    return seconds == null
        ? new WaitPreference(usual, false)
        : new WaitPreference(Duration.ofSeconds(Math.min(seconds, most.toSeconds())), true);
  }

  private static Duration duration(StringValueResolver placeholders, String text) {
    Duration duration =
        DurationStyle.detectAndParse(requireNonNull(placeholders.resolveStringValue(text)));
    if (duration.isNegative()) {
      throw new IllegalArgumentException("the wait " + text + " is negative");
    }
    return duration;
  }

  /**
   * Returns the seconds of the first preference {@code wait}, or null if there is no such
   * preference or it has no seconds. Later ones do not count. A list ends where it is malformed.
   */
  static @Nullable Long seconds(List<String> headers) {
    return headers.stream()
        .flatMap(header -> PREFERENCE.matcher(header).results())
        .filter(preference -> preference.group(1).equalsIgnoreCase("wait"))
        .findFirst()
        .map(preference -> requireNonNullElse(preference.group(2), ""))
        .map(WaitPreference::toSeconds)
        .orElse(null);
  }

  private static @Nullable Long toSeconds(String value) {
    String text =
        value.startsWith("\"")
            ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1")
            : value;
    Matcher seconds = SECONDS.matcher(text);
    if (!seconds.matches()) {
      return null;
    }
    return seconds.group(1) == null ? Long.MAX_VALUE : Long.parseLong(seconds.group(1));
  }

  /** Adds the headers of the answer. */
  void addTo(BiConsumer<String, String> headers) {
    headers.accept(HttpHeaders.VARY, PREFER);
    if (isApplied) {
      headers.accept("Preference-Applied", "wait=" + timeout.toSeconds());
    }
  }
}

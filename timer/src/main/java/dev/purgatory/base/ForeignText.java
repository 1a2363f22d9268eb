package dev.purgatory.base;

import java.util.Collection;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Text of objects of users, for messages, logs, pages and terminals. It is bounded and has no line
 * breaks, control characters or characters that change the direction of text. Never throws, unless
 * a collection does.
 */
public final class ForeignText {
  private static final int MOST_CHARACTERS = 200;
  private static final int MOST_OF_COLLECTION = 10;

  private ForeignText() {}

  /**
   * Returns what {@code toString} returns, with control characters as {@code \}{@code u001b}.
   *
   * @param foreign its {@code toString} may throw anything, and may return null
   * @return at most 200 characters; the last one is an ellipsis if something is left out
   */
  public static String of(@Nullable Object foreign) {
    return of(foreign, MOST_CHARACTERS);
  }

  /**
   * Returns the text of something that holds several foreign texts.
   *
   * @param foreign as of {@link #of(Object)}
   * @param most how many characters are returned at most
   * @return as of {@link #of(Object)}
   */
  public static String of(@Nullable Object foreign, int most) {
    String text;
    try {
      text = "" + foreign; // "null" also if toString returns null
    } catch (Throwable e) {
      text = "(toString threw " + e.getClass().getName() + ")";
    }
    return escape(text, most);
  }

  /**
   * Returns the first elements as {@code [a, b, c and 997 more]}: at most ten, and fewer if they
   * are long.
   *
   * @param foreign a collection of the library with elements of users
   * @return some hundred characters at most
   */
  public static String of(Collection<?> foreign) {
    StringBuilder text = new StringBuilder("[");
    int shown = 0;
    for (Object each : foreign) {
      if (shown == MOST_OF_COLLECTION || text.length() >= MOST_CHARACTERS) {
        break;
      }
      text.append(shown == 0 ? "" : ", ").append(of(each));
      shown++;
    }
    int more = foreign.size() - shown;
    return text.append(more > 0 ? " and " + more + " more]" : "]").toString();
  }

  private static String escape(String text, int most) {
    if (text.length() <= most && isPlain(text)) {
      return text; // most keys: a message is made for each timeout
    }
    StringBuilder escaped = new StringBuilder();
    int fits = 0; // so many characters leave room for the ellipsis
    for (int i = 0; i < text.length() && escaped.length() <= most; ) {
      if (escaped.length() < most) {
        fits = escaped.length();
      }
      int each = text.codePointAt(i);
      i += Character.charCount(each);
      if (!isUnsafe(each)) {
        escaped.appendCodePoint(each);
      } else {
        for (char unit : Character.toChars(each)) {
          escaped.append("\\u").append(HexFormat.of().toHexDigits(unit));
        }
      }
    }
    if (escaped.length() > most) {
      escaped.setLength(fits);
      escaped.append('…');
    }
    return escaped.toString();
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each < ' ' || each > '~') {
        return false;
      }
    }
    return true;
  }

  private static boolean isUnsafe(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }
}

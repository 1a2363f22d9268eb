package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.purgatory.base.ForeignText;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks the ids of a table: {@code TEXT.TAG}. The tag is an HMAC of the text, with a key
 * derived from the key of the service and the name of the table. So tables have different ids, also
 * for the same text.
 */
final class Ids {
  static final int LEAST_KEY_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int MOST_CHARACTERS = 255;
  private static final int TAG_BYTES = 15;
  private static final int TAG_CHARACTERS = 20;

  /**
   * No store makes an id that begins like this, so a name cannot imitate one. Milliseconds since
   * 1970, a dot and the name follow.
   */
  static final String OWN = "own.";

  private static final Instant LATEST = Instant.ofEpochMilli(9_999_999_999_999L);
  static final int MOST_NAME_CHARACTERS =
      MOST_CHARACTERS - (OWN + LATEST.toEpochMilli() + '.').length() - 1 - TAG_CHARACTERS;

  /** Replaces the key of the service if there is none: everybody can know it. */
  private static final byte[] NO_KEY = "purgatory".getBytes(US_ASCII);

  private final String table;
  private final Key key;

  /**
   * Ids of a table.
   *
   * @param key of the service; null for none
   */
  Ids(String table, byte @Nullable [] key) {
    if (key != null && key.length < LEAST_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a key has at least " + LEAST_KEY_BYTES + " bytes, not " + key.length);
    }
    this.table = table;
    this.key = key(hmac(key(key == null ? NO_KEY : key), table));
  }

  /** Returns the id for the text of a store. */
  String id(String text) {
    return text + '.' + tag(text);
  }

  /** Returns the id for a user's text, which is not older than a time. */
  String own(String name, Instant since) {
    if (name.isEmpty() || name.length() > MOST_NAME_CHARACTERS || !isPrintable(name)) {
      throw new IllegalArgumentException(
          "a name has 1 to "
              + MOST_NAME_CHARACTERS
              + " printable ASCII characters without spaces, not: "
              + ForeignText.of(name));
    }
    if (since.isBefore(Instant.EPOCH) || since.isAfter(LATEST)) {
      throw new IllegalArgumentException("a time is after 1970 and before 2286, not " + since);
    }
    return id(OWN + since.toEpochMilli() + '.' + name);
  }

  /** Returns an id; throws if it is not one of this table. */
  String checked(String id) {
    int text = id.length() - TAG_CHARACTERS - 1;
    if (id.length() > MOST_CHARACTERS
        || text < 1
        || !isPrintable(id)
        || !MessageDigest.isEqual(
            id(id.substring(0, text)).getBytes(US_ASCII), id.getBytes(US_ASCII))) {
      throw new IllegalArgumentException(
          "newId() and ownId() of the table " + table + " make no such id: " + ForeignText.of(id));
    }
    return id;
  }

  private static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  private String tag(String text) {
    byte[] tag = Arrays.copyOf(hmac(key, text), TAG_BYTES);
    return Base64.getUrlEncoder().encodeToString(tag);
  }

  private static Key key(byte[] bytes) {
    return new SecretKeySpec(bytes, ALGORITHM);
  }

  private static byte[] hmac(Key key, String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each JDK has " + ALGORITHM, e);
    }
  }
}

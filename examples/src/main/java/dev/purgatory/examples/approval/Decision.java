package dev.purgatory.examples.approval;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;

/**
 * What was decided. Only {@code approved} allows the call: a gate stays shut unless somebody opens
 * it.
 *
 * @param approved whether the call may be made
 * @param by who decided
 * @param at when
 */
record Decision(boolean approved, String by, Instant at) {

  byte[] encoded() {
    return (approved + "\n" + at + "\n" + by).getBytes(UTF_8);
  }

  static Decision decoded(byte[] bytes) {
    String[] fields = new String(bytes, UTF_8).split("\n", 3);
    return new Decision(Boolean.parseBoolean(fields[0]), fields[2], Instant.parse(fields[1]));
  }

  @Override
  public String toString() {
    return (approved ? "approved by " : "declined by ") + by + " at " + at;
  }
}

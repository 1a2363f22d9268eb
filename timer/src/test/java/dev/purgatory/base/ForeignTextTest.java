package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignTextTest {

  /** An object whose text is that of a supplier. */
  private record Foreign(Supplier<@Nullable String> text) {

    @Override
    @SuppressWarnings("NullAway") // as a careless class
    public String toString() {
      return text.get();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "key", "C:\\temp", "größe 鍵 😀", "<script>"})
  void of_harmlessText_isAsItIs(String text) {
    assertThat(ForeignText.of(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "000a, line feed",
    "000d, carriage return",
    "0009, tab",
    "0000, null",
    "001b, escape",
    "0007, bell",
    "007f, delete",
    "0085, next line",
    "009b, control sequence introducer",
    "2028, line separator",
    "2029, paragraph separator",
    "200b, zero width space",
    "202e, right-to-left override",
    "2066, left-to-right isolate",
    "d800, half of a pair"
  })
  void of_unsafeCharacter_isEscaped(String code, String name) {
    char unsafe = (char) Integer.parseInt(code, 16);

    assertThat(ForeignText.of("a" + unsafe + "b")).as(name).isEqualTo("a\\u" + code + "b");
  }

  @Test
  void of_unsafeCharacterOfTwoUnits_isEscaped() {
    assertThat(ForeignText.of(Character.toString(0xE0001))).isEqualTo("\\udb40\\udc01");
  }

  @Test
  void of_longText_isBounded() {
    assertThat(ForeignText.of("x".repeat(200))).isEqualTo("x".repeat(200));
    assertThat(ForeignText.of("x".repeat(201))).isEqualTo("x".repeat(199) + "…");
    assertThat(ForeignText.of("x".repeat(10_000_000))).isEqualTo("x".repeat(199) + "…");
  }

  @Test
  void of_textWithABoundOfItsOwn_isBoundedByThat() {
    assertThat(ForeignText.of("x".repeat(1_000), 1_000)).hasSize(1_000);
    assertThat(ForeignText.of("a\n".repeat(1_000), 9)).isEqualTo("a\\u000aa…");
  }

  @Test
  void of_longText_isNotCutWithinACharacter() {
    assertThat(ForeignText.of("x".repeat(198) + "😀😀")).isEqualTo("x".repeat(198) + "…");
    assertThat(ForeignText.of("x".repeat(195) + "\n\n")).isEqualTo("x".repeat(195) + "…");
    assertThat(ForeignText.of("x".repeat(194) + "\n")).hasSize(200).endsWith("x\\u000a");
  }

  @Test
  void of_noText_isNull() {
    assertThat(ForeignText.of((Object) null)).isEqualTo("null");
    assertThat(ForeignText.of(new Foreign(() -> null))).isEqualTo("null");
  }

  @Test
  void of_failures_areReplaced() {
    List<Throwable> failures =
        List.of(new IllegalStateException(), new AssertionError(), new OutOfMemoryError());
    for (Throwable each : failures) {
      assertThat(ForeignText.of(new Foreign(() -> sneak(each))))
          .isEqualTo("(toString threw " + each.getClass().getName() + ")");
    }
  }

  @Test
  void of_endlessRecursion_isReplaced() {
    List<Object> inItself = new ArrayList<>();
    inItself.add(List.of(1));
    inItself.set(0, Collections.singletonList(inItself));

    assertThat(ForeignText.of((Object) inItself))
        .isEqualTo("(toString threw java.lang.StackOverflowError)");
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> String sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void of_fewElements_showsAll() {
    assertThat(ForeignText.of(List.of())).isEqualTo("[]");
    assertThat(ForeignText.of(List.of("a", 2))).isEqualTo("[a, 2]");
    assertThat(ForeignText.of(List.of("a\nb"))).isEqualTo("[a\\u000ab]");
  }

  @Test
  void of_manyElements_showsTheFirst() {
    List<Integer> numbers = IntStream.range(0, 1_000).boxed().toList();

    assertThat(ForeignText.of(numbers)).isEqualTo("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more]");
  }

  @Test
  void of_longElements_showsFewer() {
    String text = ForeignText.of(Collections.nCopies(5, "x".repeat(10_000_000)));

    assertThat(text).isEqualTo("[" + "x".repeat(199) + "… and 4 more]");
  }

  @Test
  void of_manyElements_asksForTheTextOfTheFirstOnly() {
    List<Object> asked = new ArrayList<>();
    List<Object> elements =
        new AbstractList<>() {
          @Override
          public Object get(int index) {
            return new Foreign(
                () -> {
                  asked.add(index);
                  return "e" + index;
                });
          }

          @Override
          public int size() {
            return Integer.MAX_VALUE;
          }
        };

    assertThat(ForeignText.of(elements))
        .startsWith("[e0, e1, ")
        .endsWith(" e9 and 2147483637 more]");
    assertThat(asked).hasSize(10);
  }
}

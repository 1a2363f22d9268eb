package dev.purgatory.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.MethodParameter;
import org.springframework.util.StringValueResolver;

/** {@link AbstractWebTest} has the headers over HTTP. */
class WaitPreferenceTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "wait=30 | 30",
        "wait=0 | 0",
        "wait=0030 | 30",
        "WAIT=30 | 30",
        "wait = 30 | 30",
        ", ,wait=30 | 30",
        "wait=\"30\" | 30",
        "wait=\"3\\0\" | 30",
        "respond-async, wait=30 | 30",
        "respond-async,wait=30,handling=lenient | 30",
        "wait=30; foo=bar | 30",
        "wait=30 ;foo; bar=\"a, wait=7\"; | 30",
        "return=minimal; foo=\"some; wait=7, \\\" wait=8\" , wait=30 | 30",
        "wait=30, wait=7 | 30",
        "wait=99999999999999999999 | 9223372036854775807",
        "wait=00000000000000000000000000000030 | 30",
      })
  void seconds_areRead(String header, long seconds) {
    assertThat(WaitPreference.seconds(List.of(header))).isEqualTo(seconds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "wait",
        "wait=",
        "wait=\"\"",
        "wait=-1",
        "wait=+1",
        "wait=1.5",
        "wait=1s",
        "wait=٣",
        "wait=abc, wait=7",
        "waiting=7",
        "foo=\"wait=7\"",
        "foo; wait=7",
        "foo=\"wait=7",
        "foo bar, wait=7",
        "wait=7 8",
      })
  void whatIsNoNumberOfSeconds_isIgnored(String header) {
    assertThat(WaitPreference.seconds(List.of(header))).isNull();
  }

  @Test
  void severalHeaders_areOneList() {
    assertThat(WaitPreference.seconds(List.of())).isNull();
    assertThat(WaitPreference.seconds(List.of("respond-async", "wait=30", "wait=7"))).isEqualTo(30);
  }

  @Test
  @Timeout(10)
  void hostileHeader_takesNoTime() {
    String hostile = "wait=1;" + " ;a=\"\\\"".repeat(2_000) + "x";
    assertThat(WaitPreference.seconds(List.of(hostile, ",".repeat(8_000) + "="))).isNull();
  }

  @SuppressWarnings("unused")
  private static void handler(
      @PreferredWait("30s") Duration same,
      @PreferredWait(value = "${usual}", max = "${most}") Duration placeholders,
      @PreferredWait(value = "1s", max = "2500ms") Duration fraction,
      @PreferredWait(value = "2s", max = "1s") Duration shorter,
      @PreferredWait("soon") Duration wrong,
      @PreferredWait("-1s") Duration negative,
      @PreferredWait("1s") long noDuration,
      Duration noAnnotation) {}

  private static MethodParameter parameter(int index) {
    return Stream.of(WaitPreferenceTest.class.getDeclaredMethods())
        .filter(each -> each.getName().equals("handler"))
        .map(handler -> new MethodParameter(handler, index))
        .findAny()
        .orElseThrow();
  }

  private static WaitPreference preference(int index, String... headers) {
    StringValueResolver placeholders =
        text -> text.replace("${usual}", "10s").replace("${most}", "1m");
    return WaitPreference.of(parameter(index), placeholders, List.of(headers));
  }

  @Test
  void aClientThatDoesNotAsk_getsTheUsualTime() {
    assertThat(preference(0)).isEqualTo(new WaitPreference(Duration.ofSeconds(30), false));
    assertThat(preference(1, "wait=no"))
        .isEqualTo(new WaitPreference(Duration.ofSeconds(10), false));
  }

  @Test
  void aClientGetsWhatItAsksFor_upToTheMaximum() {
    assertThat(preference(0, "wait=7").timeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(preference(0, "wait=31").timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(preference(1, "wait=31").timeout()).isEqualTo(Duration.ofSeconds(31));
    assertThat(preference(1, "wait=99999999999999999999").timeout())
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(preference(2, "wait=9")).isEqualTo(new WaitPreference(Duration.ofSeconds(2), true));
    assertThat(preference(2, "wait=0")).isEqualTo(new WaitPreference(Duration.ZERO, true));
  }

  @Test
  void wrongAnnotation_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> preference(3))
        .withMessageContaining("max is shorter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> preference(4))
        .withMessageContaining("soon");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> preference(5))
        .withMessageContaining("-1s is negative");
  }

  @Test
  void annotatedDurations_areWanted() {
    assertThat(WaitPreference.isWanted(parameter(0))).isTrue();
    assertThat(WaitPreference.isWanted(parameter(6))).isFalse();
    assertThat(WaitPreference.isWanted(parameter(7))).isFalse();
  }
}

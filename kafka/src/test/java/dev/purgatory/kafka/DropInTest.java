package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropInTest {
  @ParameterizedTest
  @ValueSource(strings = {"2.8.2", "3.9.1", "4.0.0", "4.0.1"})
  void olderKafka_isRefusedWithTheReason(String version) {
    assertThatThrownBy(() -> DropIn.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("needs Kafka 4.1", "this is Kafka " + version, "without");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.1.0", "4.2.1", "4.3.1", "4.3.9", "4.3.2-SNAPSHOT", "4.3"})
  void testedKafka_isAccepted(String version) {
    assertThatCode(() -> DropIn.check(version)).doesNotThrowAnyException();
    assertThat(DropIn.isTested(version)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"4.4.0", "4.10.0", "4.30.1", "5.0.0", "10.1.0", "8.1.0-ccs", "unknown", ""})
  void newerOrUnknownKafka_isAcceptedButNotTested(String version) {
    assertThatCode(() -> DropIn.check(version)).doesNotThrowAnyException();
    assertThat(DropIn.isTested(version)).isFalse();
  }

  @Test
  void mBeanShowsWhetherTheBrokerIsOfATestedVersion() throws Exception {
    DropIn.announce();

    ObjectName name = new ObjectName("dev.purgatory:type=DropIn");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    assertThat(server.getAttribute(name, "Tested")).isEqualTo(true);
    assertThat(server.getAttribute(name, "TestedKafkaVersions")).isEqualTo("4.1.2 4.2.1 4.3.1");
  }

  /** The pages show the log line and the MBean as a broker prints them. */
  @Test
  void pagesShowTheVersionOfThisBuild() throws Exception {
    String version =
        group("<artifactId>purgatory-parent</artifactId>\\s*<version>(.+?)<", "pom.xml");
    for (String page : List.of("README.md", "../docs/operators/kafka-operators.md")) {
      assertThat(group("held by Purgatory (\\S+) in Kafka", page)).as(page).isEqualTo(version);
    }
    assertThat(group("\\d+,4\\.3\\.1,true,(.+)", "../docs/operators/kafka-operators.md"))
        .isEqualTo(String.join(" ", DropIn.TESTED) + "," + version);
    assertThat(
            group(
                "was not tested with Kafka 4\\.4\\.0, only with (.+):",
                "../docs/operators/kafka-operators.md"))
        .isEqualTo(DropIn.TESTED.toString());
  }

  private static String group(String regex, String file) throws IOException {
    Matcher matcher = Pattern.compile(regex).matcher(Files.readString(Path.of(file)));
    assertThat(matcher.find()).as("%s in %s", regex, file).isTrue();
    return matcher.group(1);
  }
}

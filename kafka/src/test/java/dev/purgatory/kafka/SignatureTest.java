package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the drop-in's classes with those of each supported Kafka release. Brokers are compiled
 * against Kafka's classes, so every member that they link to must exist and have the same
 * signature.
 */
class SignatureTest {

  /**
   * Signatures that only the drop-in has. Its purgatory uses them to find the core's timer behind
   * Kafka's, and its reaper to run what is due.
   */
  private static final Set<String> ONLY_OURS =
      Set.of(
          "is a java.util.concurrent.Executor",
          "public dev.purgatory.timer.Timer coreTimer()",
          "public java.util.concurrent.Executor housekeeping()",
          "public void execute(java.lang.Runnable)",
          "public void runDue() throws java.lang.InterruptedException");

  static Stream<Arguments> classesOfReleases() {
    return KafkaRelease.VERSIONS.stream()
        .flatMap(version -> Fit.REPLACED.stream().map(name -> Arguments.of(version, name)));
  }

  @ParameterizedTest(name = "Kafka {0}: {1}")
  @MethodSource("classesOfReleases")
  void exportsTheSameMembersAsKafka(String version, String name) throws Exception {
    try (KafkaRelease kafka = KafkaRelease.open(version)) {
      NavigableSet<String> ours = Signatures.exported(Class.forName(name));
      ours.removeAll(ONLY_OURS);

      assertThat(ours).containsExactlyInAnyOrderElementsOf(Signatures.exported(kafka.load(name)));
    }
  }

  /** Kafka's tests and its two wheel classes, which are not replaced, are in the same packages. */
  @ParameterizedTest(name = "Kafka {0}: {1}")
  @MethodSource("classesOfReleases")
  void keepsPackagePrivateMembers(String version, String name) throws Exception {
    try (KafkaRelease kafka = KafkaRelease.open(version)) {
      assertThat(Signatures.packagePrivate(Class.forName(name)))
          .containsAll(Signatures.packagePrivate(kafka.load(name)));
    }
  }
}

package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The drop-in's classes against those of every Kafka release that it is for. A broker was compiled
 * against Kafka's classes: whatever it links to must be there and be the same.
 */
class SignatureTest {

  /**
   * Lines of {@link Signatures} that the drop-in has and Kafka has not: how its purgatory finds the
   * core's timer behind Kafka's.
   */
  private static final Set<String> OURS_ALONE =
      Set.of(
          "is a dev.purgatory.kafka.CoreTimer",
          "is a java.util.concurrent.Executor",
          "public dev.purgatory.timer.Timer coreTimer()",
          "public void execute(java.lang.Runnable)");

  static Stream<Arguments> classesOfReleases() {
    return KafkaRelease.VERSIONS.stream()
        .flatMap(version -> Replaced.CLASSES.stream().map(name -> Arguments.of(version, name)));
  }

  @ParameterizedTest(name = "Kafka {0}: {1}")
  @MethodSource("classesOfReleases")
  void exportsWhatKafkaExports(String version, String name) throws Exception {
    try (KafkaRelease kafka = KafkaRelease.open(version)) {
      NavigableSet<String> ours = Signatures.exported(Class.forName(name));
      ours.removeAll(OURS_ALONE);

      assertThat(ours).containsExactlyInAnyOrderElementsOf(Signatures.exported(kafka.load(name)));
    }
  }

  /** Kafka's tests and the two wheel classes that stay Kafka's live in the same packages. */
  @ParameterizedTest(name = "Kafka {0}: {1}")
  @MethodSource("classesOfReleases")
  void keepsWhatKafkasOwnPackageUses(String version, String name) throws Exception {
    try (KafkaRelease kafka = KafkaRelease.open(version)) {
      assertThat(Signatures.packagePrivate(Class.forName(name)))
          .containsAll(Signatures.packagePrivate(kafka.load(name)));
    }
  }
}

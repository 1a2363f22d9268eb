package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Looks up every class and member of the broker that the drop-in uses in each supported Kafka
 * release. Kafka moves helper classes between releases, and the compiler sees only one release.
 */
class LinkageTest {
  private static final JavaClasses OURS =
      new ClassFileImporter().importPath(Path.of(System.getProperty("purgatory.classes")));

  static List<String> releases() {
    return KafkaRelease.VERSIONS;
  }

  @ParameterizedTest(name = "Kafka {0}")
  @MethodSource("releases")
  void everythingUsedExistsInTheBroker(String version) throws Exception {
    NavigableSet<String> missing = new TreeSet<>();
    try (KafkaRelease kafka = KafkaRelease.open(version)) {
      usedClasses().filter(used -> !kafka.has(used)).forEach(missing::add);
      usedMembers().filter(used -> !isIn(kafka, used)).forEach(m -> missing.add(m.getFullName()));
    }
    assertThat(OURS).isNotEmpty();
    assertThat(missing).as("used by the drop-in, but not in Kafka %s", version).isEmpty();
  }

  private static Stream<String> usedClasses() {
    return OURS.stream()
        .flatMap(ours -> ours.getDirectDependenciesFromSelf().stream())
        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
        .filter(LinkageTest::belongsToTheBroker)
        .map(JavaClass::getName);
  }

  /** Includes inherited members, such as those of Kafka's {@code ShutdownableThread}. */
  private static Stream<JavaMember> usedMembers() {
    return OURS.stream()
        .flatMap(ours -> ours.getAccessesFromSelf().stream())
        .map(access -> access.getTarget().resolveMember().orElseThrow())
        .map(JavaMember.class::cast)
        .filter(member -> belongsToTheBroker(member.getOwner()));
  }

  private static boolean belongsToTheBroker(JavaClass used) {
    return !OURS.contain(used.getName())
        && Stream.of("org.apache.kafka.", "com.yammer.", "org.slf4j.")
            .anyMatch(used.getName()::startsWith);
  }

  private static boolean isIn(KafkaRelease kafka, JavaMember used) {
    try {
      Class<?> owner = kafka.load(used.getOwner().getName());
      if (used instanceof JavaField field) {
        return owner.getDeclaredField(field.getName()) != null;
      }
      JavaCodeUnit code = (JavaCodeUnit) used;
      return Stream.concat(
              Stream.of(owner.getDeclaredConstructors()), Stream.of(owner.getDeclaredMethods()))
          .anyMatch(there -> isSame(there, code));
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static boolean isSame(Executable there, JavaCodeUnit used) {
    boolean sameName =
        used.isConstructor()
            ? there instanceof Constructor<?>
            : there.getName().equals(used.getName());
    List<String> parameters = Stream.of(there.getParameterTypes()).map(Class::getName).toList();
    return sameName
        && parameters.equals(used.getRawParameterTypes().stream().map(JavaClass::getName).toList());
  }
}

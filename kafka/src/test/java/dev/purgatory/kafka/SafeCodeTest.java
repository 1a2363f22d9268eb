package dev.purgatory.kafka;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.io.ObjectInputStream;
import java.lang.invoke.MethodHandles;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.channels.NetworkChannel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Checks what SECURITY.md states about the classes of the library and the drop-in. */
class SafeCodeTest {
  private static final List<URL> LIBRARY = List.of(source(Timer.class), source(Purgatory.class));
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .importUrls(
              List.of(
                  LIBRARY.get(0),
                  LIBRARY.get(1),
                  url(Path.of(System.getProperty("purgatory.classes")))));

  private static final ArchRule NO_DESERIALIZATION =
      noClasses().should().dependOnClassesThat().areAssignableTo(ObjectInputStream.class);

  private static final ArchRule NO_UNSAFE =
      noClasses()
          .should()
          .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."));

  private static final ArchRule NO_REFLECTION =
      noClasses()
          .should()
          .dependOnClassesThat(resideInAnyPackage("java.lang.reflect"))
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo(ClassLoader.class)))
                  .and(not(target(nameMatching("getResource.*"))))) // reads, and loads nothing
          .orShould()
          .callMethod(Class.class, "forName", String.class)
          .orShould()
          .callMethod(Class.class, "forName", String.class, boolean.class, ClassLoader.class)
          .orShould()
          .callMethod(
              MethodHandles.class, "privateLookupIn", Class.class, MethodHandles.Lookup.class);

  private static final ArchRule NO_LISTENER =
      noClasses()
          .should()
          .dependOnClassesThat(assignableTo(ServerSocket.class))
          .orShould()
          .dependOnClassesThat(assignableTo(DatagramSocket.class))
          .orShould()
          .dependOnClassesThat(assignableTo(NetworkChannel.class));

  private static final ArchRule NO_PROCESS =
      noClasses()
          .should()
          .dependOnClassesThat(assignableTo(ProcessBuilder.class))
          .orShould()
          .callMethod(Runtime.class, "exec", String[].class)
          .orShould()
          .callMethod(Runtime.class, "exec", String.class);

  static final List<ArchRule> RULES =
      List.of(NO_DESERIALIZATION, NO_UNSAFE, NO_REFLECTION, NO_LISTENER, NO_PROCESS);

  @ParameterizedTest
  @FieldSource("RULES")
  void ruleHolds(ArchRule rule) {
    rule.check(OURS);
  }

  /** Excludes the drop-in: its own package and those with Kafka's names depend on each other. */
  @Test
  void libraryPackagesHaveNoCycles() {
    JavaClasses library = new ClassFileImporter().importUrls(LIBRARY);
    assertThat(library.containPackage("dev.purgatory.timer")).isTrue();
    slices().matching("(**)").should().beFreeOfCycles().check(library);
  }

  @Test
  void checkedClassesIncludeLibraryAndDropIn() {
    assertThat(OURS.stream().map(each -> each.getName()))
        .contains(
            Purgatory.class.getName(),
            "org.apache.kafka.server.purgatory.DelayedOperationPurgatory");
  }

  @ParameterizedTest
  @FieldSource("RULES")
  void ruleFindsOffenders(ArchRule rule) {
    JavaClasses offenders = new ClassFileImporter().importClasses(Offender.class);
    assertThatThrownBy(() -> rule.check(offenders)).isInstanceOf(AssertionError.class);
  }

  private static URL source(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (java.net.MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  /** Violates every rule. */
  static final class Offender {
    Object offend(String input, ObjectInputStream stream) throws Exception {
      try (ServerSocket socket = new ServerSocket(0)) {
        new ProcessBuilder(input).start().waitFor();
        Object read = Class.forName(input).getMethod(input).invoke(stream.readObject());
        return socket.getLocalPort() > 0 ? read : com.sun.management.OperatingSystemMXBean.class;
      }
    }
  }
}

package dev.purgatory.published;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ResourceBundle;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that libraries do nothing for which GraalVM's native-image takes metadata. It evaluates the
 * look-ups of their method handles itself.
 */
class NativeImageTest {
  private static final ArchRule NEEDS_NO_METADATA =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("java.lang.reflect..")
                  .or(assignableTo(ServiceLoader.class))
                  .or(assignableTo(ResourceBundle.class))
                  .or(assignableTo(ObjectInputStream.class))
                  .or(assignableTo(ObjectOutputStream.class)))
          .orShould()
          .callMethodWhere(looksUp());

  private static DescribedPredicate<JavaCall<?>> looksUp() {
    return DescribedPredicate.describe(
        "a class or resource is looked up by its name",
        call ->
            (call.getTargetOwner().isEquivalentTo(Class.class)
                    || call.getTargetOwner().isAssignableTo(ClassLoader.class))
                && call.getName().matches("forName|loadClass|getResource.*"));
  }

  @ParameterizedTest
  @MethodSource("librariesOfPrograms")
  void library_needsNoMetadata(PublishedJar jar) throws IOException {
    try (JarFile file = new JarFile(jar.file().toFile())) {
      NEEDS_NO_METADATA.check(new ClassFileImporter().importJar(file));
    }
  }

  /**
   * Returns all libraries but the test kit, whose JUnit extension sees parameters of methods, and
   * the console, whose page is a resource.
   */
  static Stream<PublishedJar> librariesOfPrograms() throws IOException {
    return PublishedJar.libraries()
        .filter(jar -> !jar.artifactId().matches("purgatory-(testkit|console)"));
  }

  /** Otherwise every library would pass. */
  @Test
  void rule_findsALookUp() {
    var classes = new ClassFileImporter().importClasses(PublishedJar.class);
    assertThatThrownBy(() -> NEEDS_NO_METADATA.check(classes))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("getResources");
  }
}

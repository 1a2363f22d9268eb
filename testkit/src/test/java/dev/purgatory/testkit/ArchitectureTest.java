package dev.purgatory.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.purgatory.testkit");

  @Test
  void kit_worksWithoutJUnit() {
    classes()
        .that()
        .resideInAPackage("dev.purgatory.testkit")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory",
            "dev.purgatory.timer",
            "dev.purgatory.testkit",
            "java..",
            "org.jspecify.annotations")
        .check(MAIN);
  }

  @Test
  void kit_readsTheRealClockOnlyToWaitForTheJvm() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Tracked.class, PurgatoryExtension.class)
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(MAIN);
  }
}

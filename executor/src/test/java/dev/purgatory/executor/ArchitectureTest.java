package dev.purgatory.executor;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.purgatory.executor");

  @Test
  void executor_needsOnlyTheTimerAndItsWheels() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory.base",
            "dev.purgatory.executor",
            "dev.purgatory.threads",
            "dev.purgatory.timer",
            "dev.purgatory.wheel",
            "java..",
            "org.jspecify.annotations")
        .check(MAIN);
  }

  @Test
  void executor_readsTheTimeOfTheTimer() {
    noClasses()
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(MAIN);
  }
}

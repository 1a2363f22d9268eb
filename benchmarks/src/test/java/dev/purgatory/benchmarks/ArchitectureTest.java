package dev.purgatory.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.purgatory.benchmarks");

  /** Each package is a separate slice, including the one that contains all others. */
  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.purgatory.(**)").should().beFreeOfCycles().check(MAIN);
  }
}

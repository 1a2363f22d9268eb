package dev.purgatory.timer;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The rules for the classes of the timer are tested with those of the core. */
class ArchitectureTest {
  @Test
  void tests_neverSleep() {
    noClasses()
        .should()
        .callMethodWhere(target(name("sleep")))
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.OnlyIncludeTests())
                .importPackages("dev.purgatory"));
  }
}

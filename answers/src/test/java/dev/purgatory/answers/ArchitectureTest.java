package dev.purgatory.answers;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
          .importPackages("dev.purgatory.answers");

  @Test
  void answers_needTheApiOfTheCore_andTheTwoClients() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory",
            "dev.purgatory.base",
            "dev.purgatory.answers",
            "org.apache.kafka..",
            "org.postgresql",
            "java..",
            "javax.crypto..",
            "javax.sql",
            "org.jspecify.annotations")
        .check(MAIN);
  }

  /** A user of one store has the client of that store only. */
  @Test
  void eachClient_isUsedByItsStoreOnly() {
    noClasses()
        .that()
        .haveSimpleNameNotContaining("Postgres")
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.postgresql..", "java.sql", "javax.sql"))
        .check(MAIN);
    noClasses()
        .that()
        .haveNameNotMatching(
            ".*\\.(Agreement|KafkaAnswerStore|KafkaSignals|Look|LogReader|PartitionReader|Poll|Window)(\\$.*)?")
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.apache.kafka.."))
        .check(MAIN);
  }
}

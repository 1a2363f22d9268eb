package dev.purgatory;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.purgatory.internal.LastResort;
import dev.purgatory.timer.Ticker;
import java.util.TimerTask;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.purgatory");

  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.OnlyIncludeTests())
          .importPackages("dev.purgatory");

  @Test
  void timer_doesNotDependOnPurgatory() {
    noClasses()
        .that()
        .resideInAPackage("dev.purgatory.timer")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.purgatory")
        .check(MAIN);
  }

  @Test
  void core_dependsOnlyOnJavaBase() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory",
            "dev.purgatory.internal",
            "dev.purgatory.throttle",
            "dev.purgatory.session",
            "dev.purgatory.timer",
            "java.lang..",
            "java.math",
            "java.time..",
            "java.util",
            "java.util.concurrent..",
            "java.util.function..",
            "java.util.stream..",
            "org.jspecify.annotations")
        .check(MAIN);
  }

  @Test
  void core_usesNoOtherTimer() {
    noClasses().should().dependOnClassesThat().areAssignableTo(TimerTask.class).check(MAIN);
    noClasses().should().dependOnClassesThat().areAssignableTo(java.util.Timer.class).check(MAIN);
  }

  @Test
  void core_readsTheClockInOnePlace() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Ticker.class, LastResort.class) // logging is limited in real time
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(java.time.Clock.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(java.time.Instant.class)
        .check(MAIN);
  }

  @Test
  void core_hasNoSynchronizedMethods() {
    methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED).check(MAIN);
  }

  @Test
  void tests_neverSleep() {
    noClasses().should().callMethodWhere(target(name("sleep"))).check(TESTS);
  }
}

package dev.purgatory;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.purgatory.internal.Helpers;
import dev.purgatory.internal.Lane;
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

  private static final DescribedPredicate<JavaClass> FOR_OPTIONAL_MODULES =
      outermost("PurgatoryBean").or(outermost("FlightEventTypes"));

  /** Matches a class of this name, and the classes in it. */
  private static DescribedPredicate<JavaClass> outermost(String name) {
    return DescribedPredicate.describe(
        "are in " + name,
        type -> type.getName().matches("dev\\.purgatory\\.[a-z.]*" + name + "(\\$.*)?"));
  }

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
        .that(DescribedPredicate.not(FOR_OPTIONAL_MODULES))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory",
            "dev.purgatory.internal",
            "dev.purgatory.throttle",
            "dev.purgatory.session",
            "dev.purgatory.timer",
            "java.lang",
            "java.lang.annotation",
            "java.lang.invoke",
            "java.lang.ref",
            "java.math",
            "java.time..",
            "java.util",
            "java.util.concurrent..",
            "java.util.function..",
            "java.util.stream..",
            "org.jspecify.annotations")
        .check(MAIN);
  }

  /** Others would load their classes on a runtime without the modules. */
  @Test
  void classesForOptionalModules_areUsedInOnePlace() {
    onlyUsedBy("PurgatoryBean", "PurgatoryBuilder");
    onlyUsedBy("FlightEventTypes", "FlightEvents");
  }

  private static void onlyUsedBy(String used, String user) {
    classes()
        .that(outermost(used))
        .should()
        .onlyHaveDependentClassesThat(outermost(used).or(outermost(user)))
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
        .doNotBelongToAnyOf( // logging is limited in real time, and threads wait in it
            Ticker.class, LastResort.class, Lane.class, Helpers.class)
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

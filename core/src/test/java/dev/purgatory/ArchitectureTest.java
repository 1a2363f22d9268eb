package dev.purgatory;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.base.Threads;
import dev.purgatory.threads.Helpers;
import dev.purgatory.threads.Lane;
import dev.purgatory.timer.Ticker;
import dev.purgatory.wheel.ClockThread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TimerTask;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Tests the rules for the classes of the timer and the core. */
class ArchitectureTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
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

  /** Each package is an idea that uses only those below. */
  @Test
  void packages_dependOnlyOnThoseBelow() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("base")
        .definedBy("dev.purgatory.base")
        .layer("wheel")
        .definedBy("dev.purgatory.wheel")
        .layer("threads")
        .definedBy("dev.purgatory.threads")
        .layer("timer")
        .definedBy("dev.purgatory.timer")
        .layer("watch")
        .definedBy("dev.purgatory.watch")
        .layer("purgatory")
        .definedBy("dev.purgatory")
        .layer("session")
        .definedBy("dev.purgatory.session")
        .layer("throttle")
        .definedBy("dev.purgatory.throttle")
        .whereLayer("base")
        .mayNotAccessAnyLayer()
        .whereLayer("wheel")
        .mayOnlyAccessLayers("base")
        .whereLayer("threads")
        .mayOnlyAccessLayers("base", "wheel")
        .whereLayer("timer")
        .mayOnlyAccessLayers("base", "wheel", "threads")
        .whereLayer("watch")
        .mayOnlyAccessLayers("base", "wheel", "threads", "timer")
        .whereLayer("purgatory")
        .mayOnlyAccessLayers("base", "wheel", "threads", "timer", "watch")
        .whereLayer("session")
        .mayOnlyAccessLayers("base", "wheel", "threads", "timer")
        .whereLayer("throttle")
        .mayOnlyAccessLayers("base", "wheel", "threads", "timer", "purgatory")
        .ensureAllClassesAreContainedInArchitecture()
        .check(MAIN);
  }

  /** To understand one class of a circle, one has to read all of them. */
  @Test
  void circles_haveFourClassesAtMost() {
    Map<JavaClass, Set<JavaClass>> reached = new HashMap<>();
    for (JavaClass type : MAIN) {
      if (type.equals(outermost(type))) {
        reached.put(type, reachedFrom(type));
      }
    }
    reached.forEach(
        (type, all) ->
            assertThat(
                    all.stream()
                        .filter(other -> requireNonNull(reached.get(other)).contains(type))
                        .toList())
                .as("the circle of " + type.getName())
                .hasSizeLessThanOrEqualTo(4));
  }

  private static Set<JavaClass> reachedFrom(JavaClass start) {
    Set<JavaClass> reached = new HashSet<>();
    Deque<JavaClass> left = new ArrayDeque<>(Set.of(start));
    while (!left.isEmpty()) {
      JavaClass from = left.remove();
      for (JavaClass type : MAIN) {
        if (outermost(type).equals(from)) {
          type.getDirectDependenciesFromSelf().stream()
              .map(dependency -> outermost(dependency.getTargetClass().getBaseComponentType()))
              .filter(to -> MAIN.contain(to.getName()) && !to.equals(from) && reached.add(to))
              .forEach(left::add);
        }
      }
    }
    return reached;
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  @Test
  void core_dependsOnlyOnJavaBase() {
    classes()
        .that(DescribedPredicate.not(FOR_OPTIONAL_MODULES))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.purgatory",
            "dev.purgatory.base",
            "dev.purgatory.wheel",
            "dev.purgatory.threads",
            "dev.purgatory.watch",
            "dev.purgatory.throttle",
            "dev.purgatory.session",
            "dev.purgatory.timer",
            "java.lang",
            "java.lang.annotation",
            "java.lang.invoke",
            "java.lang.ref",
            "java.math",
            "java.security",
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
    onlyUsedBy("PurgatoryBean", "PurgatorySettings");
    onlyUsedBy("FlightEventTypes", "FlightEvents");
  }

  private static void onlyUsedBy(String used, String user) {
    classes()
        .that(outermost(used))
        .should()
        .onlyHaveDependentClassesThat(outermost(used).or(outermost(user)))
        .check(MAIN);
  }

  /** Others would inherit the caller's thread-locals, loader or access control context. */
  @Test
  void threads_areMadeInOnePlace() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Threads.class, Helpers.class) // the class of helpers
        .should()
        .callConstructorWhere(
            DescribedPredicate.describe(
                "makes a thread", call -> call.getTargetOwner().isAssignableTo(Thread.class)))
        .check(MAIN);
  }

  /** One way to keep a flag that one user leaves from the code of another. */
  @Test
  void interruptFlags_areClearedInOnePlace() {
    noClasses()
        .that()
        .doNotBelongToAnyOf( // threads of the library, and a wait that cannot fail
            ForeignCode.class, ClockThread.class, Helpers.class, Mutex.class)
        .should()
        .callMethod(Thread.class, "interrupted")
        .check(MAIN);
  }

  /** Where threads meet, it needs memory: see StripedCounter. */
  @Test
  void core_countsWithoutMemory() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(PurgatoryBean.class) // a count that is missing there ends nothing
        .should()
        .dependOnClassesThat()
        .areAssignableTo(LongAdder.class)
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

package dev.purgatory.checker;

import java.util.List;
import java.util.stream.Stream;

/** All mistakes. */
final class Mutants {
  static final List<Mutant> ALL =
      Stream.of(
              BehaviourMutants.ALL,
              FeatureMutants.ALL,
              RequestMutants.ALL,
              SessionMutants.ALL,
              TimerMutants.ALL,
              BoundsMutants.ALL)
          .flatMap(List::stream)
          .toList();

  private Mutants() {}
}

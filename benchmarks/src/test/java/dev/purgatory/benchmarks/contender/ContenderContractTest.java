package dev.purgatory.benchmarks.contender;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests all contenders except the floor, which holds nothing, and those of {@link DropInContract}.
 */
@ParameterizedClass
@MethodSource("contenders")
class ContenderContractTest extends ContenderContract {
  ContenderContractTest(Contenders named) {
    super(named);
  }

  static Stream<Contenders> contenders() {
    return Stream.of(Contenders.values())
        .filter(each -> each != Contenders.FLOOR && !each.needsDropIn());
  }
}

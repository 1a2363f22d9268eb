package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.run.Turns;
import java.util.List;

/** Creates the turns of a run. */
final class BrokerTurns {
  private BrokerTurns() {}

  /**
   * Returns all turns, in order.
   *
   * @throws IllegalArgumentException if there are none
   */
  static List<BrokerTurn> of(BrokerOptions options) {
    List<Turns.Group<BrokerTurn>> loads =
        options.loads().stream().map(load -> of(load, options)).toList();
    List<BrokerTurn> turns = Turns.inRounds(loads, options.seed());
    if (turns.isEmpty()) {
      throw new IllegalArgumentException("nothing to run: writes and retained have no floor");
    }
    return turns;
  }

  private static Turns.Group<BrokerTurn> of(BrokerLoad load, BrokerOptions options) {
    return new Turns.Group<>(
        options.contenders().stream()
            .filter(contender -> contender.holds() || load.hasFloor())
            .map(contender -> new BrokerTurn(load, contender, options.time()))
            .toList(),
        rounds(load, options.rounds()));
  }

  /** Long polls get the most rounds, since their processor time is compared. */
  private static int rounds(BrokerLoad load, int rounds) {
    return load == BrokerLoad.POLLS ? rounds : Math.max(1, rounds - 1);
  }
}

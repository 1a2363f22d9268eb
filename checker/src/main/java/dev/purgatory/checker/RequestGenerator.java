package dev.purgatory.checker;

import dev.purgatory.checker.RequestProgram.LimitPlan;
import dev.purgatory.checker.RequestProgram.RequestSettings;
import dev.purgatory.checker.RequestStep.What;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/** Generates {@link RequestProgram}s. Few keys, numbers and times, so that they often meet. */
final class RequestGenerator {
  private static final int KEYS = 3;
  private static final int LEVELS = 2;
  private static final int MOST_NUMBER = 6;
  private static final int SCOPES = 3;
  private static final int KEY_SETS = 2;
  private static final int MOST_STEPS = 60;
  private static final int[] PURGE_INTERVALS = {0, 1, 1_000};

  /** Each kind of step, as often as its share of the steps. */
  private static final List<What> SHARES = shares();

  private final SplittableRandom random;
  private final Map<Fault, Double> faults;
  private final int plans;

  RequestGenerator(long seed, Map<Fault, Double> faults) {
    random = new SplittableRandom(~seed); // differs from the other programs of the seed
    this.faults = faults;
    plans = 2 + random.nextInt(6);
  }

  private static List<What> shares() {
    List<What> shares = new ArrayList<>(List.of(What.values()));
    for (int i = 0; i < 20; i++) {
      shares.add(What.HOLD);
    }
    for (int i = 0; i < 4; i++) {
      shares.addAll(List.of(What.SET_READY, What.SIGNAL, What.ADVANCE, What.PASS));
      shares.addAll(List.of(What.OPEN_KEY_SET, What.SET_READY));
    }
    shares.addAll(List.of(What.SIGNAL_AT_MOST, What.SIGNAL_AT_MOST, What.OPEN_KEY_SET));
    shares.addAll(List.of(What.MARK, What.MARK, What.MARK, What.RUN_QUEUE));
    shares.addAll(List.of(What.RESCHEDULE, What.RESCHEDULE, What.RESCHEDULE, What.PASS));
    return shares;
  }

  /** Generates a program. */
  RequestProgram program() {
    int limits = 1 + random.nextInt(3);
    RequestSettings settings =
        new RequestSettings(
            list(limits, i -> limit()),
            list(RequestProgram.PURGATORIES, i -> some(limits, 3)),
            list(SCOPES, i -> some(limits, 2)),
            PURGE_INTERVALS[random.nextInt(PURGE_INTERVALS.length)]);
    return new RequestProgram(
        settings, list(plans, this::plan), list(5 + random.nextInt(MOST_STEPS), i -> step()));
  }

  private LimitPlan limit() {
    return new LimitPlan(1 + random.nextInt(6), 1 + random.nextInt(20), random.nextBoolean());
  }

  private RequestPlan plan(int number) {
    int purgatory = random.nextInt(RequestProgram.PURGATORIES);
    Map<Integer, Long> thresholds = new HashMap<>();
    while (random.nextInt(3) == 0 && thresholds.size() < LEVELS) {
      thresholds.put(random.nextInt(LEVELS), (long) random.nextInt(MOST_NUMBER));
    }
    boolean onSet = random.nextInt(4) == 0;
    boolean withoutKey = onSet || (!thresholds.isEmpty() && random.nextBoolean());
    List<Integer> keys = some(KEYS, 2);
    return new RequestPlan(
        number,
        purgatory,
        withoutKey ? List.of() : keys.isEmpty() ? List.of(0) : keys,
        onSet ? random.nextInt(KEY_SETS) : -1,
        thresholds,
        thresholds.isEmpty() ? 0 : 1 + random.nextInt(thresholds.size()),
        some(SCOPES, 3),
        random.nextInt(8),
        random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(20) * 500_000L,
        random.nextInt(5) == 0 ? 1_500_000 : 0,
        purgatory > 0 && random.nextInt(4) == 0 ? (1 + random.nextInt(9)) * 700_000L : 0,
        strikes(Fault.EXCEPTION));
  }

  private RequestStep step() {
    What what = SHARES.get(random.nextInt(SHARES.size()));
    if ((what == What.CLOSE || what == What.CANCEL_ALL) && random.nextInt(4) > 0) {
      what = What.PURGE;
    }
    boolean ofLevel = what == What.ADVANCE || what == What.REMOVE_NUMBER;
    boolean ofSet = what == What.OPEN_KEY_SET || what == What.CLOSE_KEY_SET;
    return new RequestStep(
        what,
        random.nextInt(60),
        random.nextInt(ofLevel ? LEVELS : ofSet ? KEY_SETS : KEYS),
        what == What.PASS ? random.nextInt(12) * 400_000L : random.nextInt(MOST_NUMBER));
  }

  /** Returns numbers below a limit, each of them with a chance of one in {@code n}. */
  private List<Integer> some(int below, int n) {
    List<Integer> some = new ArrayList<>();
    for (int i = 0; i < below; i++) {
      if (random.nextInt(n) == 0) {
        some.add(i);
      }
    }
    return some;
  }

  private static <T> List<T> list(int size, IntFunction<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(element.apply(i));
    }
    return list;
  }

  private boolean strikes(Fault fault) {
    return random.nextDouble() < faults.getOrDefault(fault, 0.0);
  }
}

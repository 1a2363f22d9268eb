package dev.purgatory.checker;

import dev.purgatory.checker.RequestPlan.Looks;
import dev.purgatory.checker.RequestSetup.LimitPlan;
import dev.purgatory.checker.RequestSetup.RequestSettings;
import dev.purgatory.checker.RequestStep.What;
import dev.purgatory.checker.Settings.Behaviour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Generates programs that hold requests. Few keys, numbers and times, so that they often meet. */
final class RequestGenerator {
  private static final int KEYS = 3;
  private static final int LEVELS = 2;
  private static final int MOST_NUMBER = 6;
  private static final int SCOPES = 3;
  private static final int KEY_GROUPS = 2;
  private static final int MOST_STEPS = 60;
  private static final int[] PURGE_INTERVALS = {0, 1, 1_000};

  private static final Behaviour[] COMPLETIONS = {
    Behaviour.QUEUED,
    Behaviour.REJECTING,
    Behaviour.DROPPING,
    Behaviour.TWICE,
    Behaviour.FAILING_LATE,
    Behaviour.BLOCKING
  };

  /** If an executor for expirations throws, other threads run its tasks. */
  private static final Behaviour[] EXPIRATIONS = {
    Behaviour.QUEUED, Behaviour.DROPPING, Behaviour.TWICE, Behaviour.BLOCKING
  };

  /** What a condition may do after it has taken a value. */
  private static final What[] INTERFERENCES = {
    What.CANCEL,
    What.COMPLETE,
    What.FAIL,
    What.CLOSE_SCOPE,
    What.FAIL_SCOPE,
    What.COMPLETE_FOR_KEY,
    What.FAIL_FOR_KEY,
    What.CANCEL_FOR_KEY,
    What.CANCEL_ALL,
    What.CLOSE
  };

  /** Each kind of step, as often as its share of the steps. */
  private static final List<What> SHARES = shares();

  private final Draw draw;
  private final int plans;

  RequestGenerator(Draw draw) {
    this.draw = draw;
    plans = 2 + draw.below(6);
  }

  private static List<What> shares() {
    List<What> shares = new ArrayList<>(List.of(What.values()));
    for (int i = 0; i < 20; i++) {
      shares.add(What.HOLD);
    }
    for (int i = 0; i < 4; i++) {
      shares.addAll(List.of(What.SET_READY, What.SIGNAL, What.ADVANCE, What.PASS));
      shares.addAll(List.of(What.OPEN_KEY_GROUP, What.SET_READY));
    }
    for (int i = 0; i < 6; i++) {
      shares.add(What.END_EVALUATION);
    }
    shares.addAll(List.of(What.SIGNAL_AT_MOST, What.SIGNAL_AT_MOST, What.OPEN_KEY_GROUP));
    shares.addAll(List.of(What.MARK, What.MARK, What.MARK, What.RUN_QUEUE));
    shares.addAll(List.of(What.RESCHEDULE, What.RESCHEDULE, What.RESCHEDULE, What.PASS));
    shares.addAll(List.of(What.PUT, What.PUT, What.PUT, What.SIGNAL_WITH_REASON));
    shares.addAll(List.of(What.MARK, What.MARK, What.RUN_QUEUE, What.RUN_QUEUE));
    shares.addAll(List.of(What.RUN_EXECUTORS, What.RUN_EXECUTORS, What.SCHEDULE, What.SCHEDULE));
    shares.addAll(List.of(What.MARK_LATER, What.MARK_LATER, What.MARK_LATER, What.RUN_TASKS));
    return shares;
  }

  /** Generates a program. */
  Program<RequestRun> program() {
    int limits = 1 + draw.below(3);
    RequestSettings settings =
        new RequestSettings(
            Draw.list(limits, i -> limit()),
            Draw.list(RequestSetup.PURGATORIES, i -> draw.some(limits, 3)),
            Draw.list(SCOPES, i -> draw.some(limits, 2)),
            draw.from(PURGE_INTERVALS),
            behaviour(COMPLETIONS),
            behaviour(EXPIRATIONS));
    return new Program<>(
        new RequestSetup(settings, Draw.list(plans, this::plan)),
        Draw.list(5 + draw.below(MOST_STEPS), i -> step()));
  }

  private Behaviour behaviour(Behaviour[] faulty) {
    return draw.strikes(Fault.EXECUTOR) ? draw.from(faulty) : Behaviour.INLINE;
  }

  private LimitPlan limit() {
    return new LimitPlan(1 + draw.below(6), 1 + draw.below(20), draw.either());
  }

  private RequestPlan plan(int number) {
    int purgatory = draw.below(RequestSetup.PURGATORIES);
    Map<Integer, Long> thresholds = new HashMap<>();
    while (draw.oneIn(3) && thresholds.size() < LEVELS) {
      thresholds.put(draw.below(LEVELS), (long) draw.below(MOST_NUMBER));
    }
    boolean onGroup = draw.oneIn(4);
    boolean withoutKey = onGroup || (!thresholds.isEmpty() && draw.either());
    List<Integer> keys = draw.some(KEYS, 2);
    boolean takes = draw.oneIn(3);
    return new RequestPlan(
        number,
        purgatory,
        withoutKey ? List.of() : keys.isEmpty() ? List.of(0) : keys,
        onGroup ? draw.below(KEY_GROUPS) : -1,
        thresholds,
        thresholds.isEmpty() ? 0 : 1 + draw.below(thresholds.size()),
        draw.some(SCOPES, 3),
        draw.below(8),
        draw.oneIn(3) ? Long.MAX_VALUE : draw.below(20) * 500_000L,
        draw.oneIn(5) ? 1_500_000 : 0,
        purgatory > 0 && draw.oneIn(3) ? (1 + draw.below(9)) * 700_000L : 0,
        draw.strikes(Fault.EXCEPTION),
        takes,
        draw.oneIn(3) ? draw.from(Looks.values()) : Looks.HERE,
        takes && purgatory > 0 && draw.either() ? draw.from(INTERFERENCES) : null,
        draw.oneIn(4) ? 1 + draw.below(RequestThreads.COUNT) : 0);
  }

  private RequestStep step() {
    What what = SHARES.get(draw.below(SHARES.size()));
    if ((what == What.CLOSE || what == What.CANCEL_ALL) && !draw.oneIn(4)) {
      what = What.PURGE;
    }
    boolean ofLevel = what == What.ADVANCE || what == What.REMOVE_NUMBER;
    boolean ofGroup = what == What.OPEN_KEY_GROUP || what == What.CLOSE_KEY_GROUP;
    return new RequestStep(
        what,
        draw.below(60),
        draw.below(ofLevel ? LEVELS : ofGroup ? KEY_GROUPS : KEYS),
        what == What.PASS ? draw.below(12) * 400_000L : draw.below(MOST_NUMBER));
  }
}

package dev.purgatory.kafka.versus;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * The program that uses purgatories and timers in ways in which brokers do not, or should not. It
 * prints a line {@code name=what happened} for each, in which nothing depends on chance.
 */
public final class UnusualUses {
  private UnusualUses() {}

  /** Takes no arguments. */
  public static void main(String[] args) {
    print("origin", Probes::origin);
    print("origin-of-keys", () -> Probes.originOf(DelayedOperationKey.class));
    print("drop-in", UnusualUses::dropIn);
    print("watched-twice-on-one-key", RepeatedWatches::twiceOnOneKey);
    print("watched-twice-on-two-keys", RepeatedWatches::twiceOnTwoKeys);
    print("watched-twice-expires", RepeatedWatches::twiceAndExpires);
    print("watched-three-times-cancelled", RepeatedWatches::threeTimesAndCancelled);
    print("watched-twice-second-throws", RepeatedWatches::twiceButTheSecondThrows);
    print("watched-in-two-purgatories", RepeatedWatches::inTwoPurgatories);
    print("watched-after-cancel-for-key", RepeatedWatches::afterCancelForKey);
    print("watched-after-completion", RepeatedWatches::afterCompletion);
    print("watched-twice-on-a-key-of-one-list", RepeatedWatches::sameKeyInOneList);
    for (long delay : new long[] {0, -1, Long.MIN_VALUE}) {
      print("delay" + delay, () -> PurgatoryUses.delayed(delay));
      print("delay" + delay + "-completed", () -> PurgatoryUses.delayedButCompletedAtOnce(delay));
    }
    for (int interval : new int[] {-1, Integer.MIN_VALUE, 0, Integer.MAX_VALUE}) {
      print("purge-interval" + interval, () -> PurgatoryUses.purgeInterval(interval));
    }
    print("name-with-asterisk", PurgatoryUses::nameWithAsterisk);
    print("null-in-keys", PurgatoryUses::nullInKeys);
    print("check-null", PurgatoryUses::checkNull);
    print("cancel-null", PurgatoryUses::cancelNull);
    print("cancelled-states", PurgatoryUses::cancelledStates);
    print("cancelled-but-watched", PurgatoryUses::cancelledButWatched);
    print("interrupted-thread", PurgatoryUses::interruptedThread);
    print("check-after-shutdown", PurgatoryUses::checkAfterShutdown);
    print("watch-after-shutdown", PurgatoryUses::watchAfterShutdown);
    print("shutdown-while-files-are-read", ShutdownProbe::closedFiles);
    print("completion-throws-when-watched", FailingCallbacks::completionWhenWatched);
    print("completion-throws-when-checked", FailingCallbacks::completionWhenChecked);
    print("completion-throws-when-forced", FailingCallbacks::completionWhenForced);
    print("completion-throws-on-expiration", FailingCallbacks::completionOnExpiration);
    print("expiration-throws", FailingCallbacks::expiration);
    print("completed-again-from-callbacks", FailingCallbacks::completedAgainFromCallbacks);
    print("timer-cancelled-before-added", TimerUses::cancelledBeforeAdded);
    print("timer-two-timers", TimerUses::twoTimers);
    print("timer-task-throws", TimerUses::taskThrows);
    print("timer-add-after-close", TimerUses::addedAfterClose);
    print("timer-advance-negative", TimerUses::advancedByNegativeTime);
  }

  /** Returns what the drop-in says in JMX, once a purgatory has been created. */
  private static Object dropIn() throws Exception {
    String created = withPurgatory(purgatory -> "");
    ObjectName name = new ObjectName("dev.purgatory:type=DropIn");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    return created
        + server.getAttribute(name, "KafkaVersion")
        + ", tested "
        + server.getAttribute(name, "Tested");
  }

  private static void print(String name, Use use) {
    System.out.println(name + "=" + resultOf(use));
  }

  /** Returns the result, or the class of what was thrown. */
  static String resultOf(Use use) {
    try {
      return String.valueOf(use.run());
    } catch (Throwable e) {
      return e.getClass().getName();
    }
  }

  /** Creates a purgatory, and shuts it down afterwards. */
  static String withPurgatory(PurgatoryUse use) throws Exception {
    DelayedOperationPurgatory<DelayedOperation> purgatory =
        new DelayedOperationPurgatory<>("unusual", 0);
    try {
      return use.with(purgatory);
    } finally {
      purgatory.shutdown();
    }
  }

  static String sizes(DelayedOperationPurgatory<?> purgatory) {
    return "watched " + purgatory.watched() + " delayed " + purgatory.numDelayed();
  }

  /** Waits for the drop-in to remove the empty entries of lists, which takes up to a second. */
  static String finalSizes(DelayedOperationPurgatory<?> purgatory) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(RecordedRequest.PATIENCE_S);
    while (purgatory.watched() > 0 && System.nanoTime() - end < 0) {
      Thread.sleep(1);
    }
    return sizes(purgatory);
  }

  interface Use {
    Object run() throws Exception;
  }

  interface PurgatoryUse {
    String with(DelayedOperationPurgatory<DelayedOperation> purgatory) throws Exception;
  }
}

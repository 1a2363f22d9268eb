package dev.purgatory.answers;

import java.time.Duration;
import java.util.Map;

/** Opens stores with settings that only tests choose, and so in the package of the stores. */
public final class SoakStores {
  private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

  private SoakStores() {}

  /**
   * Opens a store that looks at its topic each second.
   *
   * @param config as for {@link KafkaAnswerStore}
   * @param topic as for {@link KafkaAnswerStore}
   * @param aheadMillis how far its clock is ahead; negative if it is behind
   * @return the store
   */
  public static AnswerStore open(Map<String, ?> config, String topic, long aheadMillis) {
    KafkaAnswerStore.Tuning usual = KafkaAnswerStore.Tuning.DEFAULT;
    return new KafkaAnswerStore(
        config,
        topic,
        new KafkaAnswerStore.Tuning(
            usual.linger(),
            usual.patience(),
            usual.windowBytes(),
            CHECK_EVERY,
            () -> System.currentTimeMillis() + aheadMillis));
  }
}

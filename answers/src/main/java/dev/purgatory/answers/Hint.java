package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/**
 * What a signal is about. Equal hints can be merged: of two numbers, the greater one remains.
 *
 * @param key the key of the event
 * @param advances whether a number of the key has advanced
 */
record Hint(String key, boolean advances) {
  Hint {
    requireNonNull(key, "key");
  }

  static Hint ofAdvance(String key, long number) {
    if (number == Long.MIN_VALUE) {
      throw new IllegalArgumentException("Long.MIN_VALUE stands for no number");
    }
    return new Hint(key, true);
  }

  /**
   * Whom an instance tells.
   *
   * @param onSignal gets the keys that are signalled
   * @param onAdvance gets the keys whose numbers advance
   */
  record Receivers(Consumer<? super String> onSignal, ObjLongConsumer<? super String> onAdvance) {
    Receivers {
      requireNonNull(onSignal, "onSignal");
      requireNonNull(onAdvance, "onAdvance");
    }

    void receive(Hint hint, long number) {
      try {
        if (hint.advances) {
          onAdvance.accept(hint.key, number);
        } else {
          onSignal.accept(hint.key);
        }
      } catch (Throwable e) {
        Foreign.log(
            Level.ERROR, "A receiver of signals threw for the key " + ForeignText.of(hint.key), e);
      }
    }
  }
}

package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.purgatory.Purgatory;
import dev.purgatory.base.Stripes;
import dev.purgatory.timer.Timer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests that wheels, lists, maps and threads are created when they are needed. */
class EmptySizeTest {
  private static final int COUNT = 20;
  private static final long BYTES_OF_A_PURGATORY = 3_000;

  /** Of each stripe, of which there are 16 at most, and of the rest of a timer. */
  private static final long BYTES_OF_A_STRIPE = 700;

  private static final long BYTES_OF_A_TIMER = 1_500;

  private final List<Object> kept = new ArrayList<>();

  @Test
  void newTimer_allocatesLittle() {
    assertThat(bytesOf(this::timer))
        .isLessThan(BYTES_OF_A_TIMER + Stripes.COUNT * BYTES_OF_A_STRIPE);
  }

  @Test
  void newPurgatory_allocatesLittle() {
    Timer timer = timer();
    assertThat(bytesOf(() -> Purgatory.builder("empty", String.class).timer(timer).build()))
        .isLessThan(BYTES_OF_A_PURGATORY);
  }

  private Timer timer() {
    return Timer.builder().ticker(() -> 0).build();
  }

  /** Returns the bytes that one object allocates, once its classes are loaded. */
  private long bytesOf(Supplier<?> constructor) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    kept.add(constructor.get());
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < COUNT; i++) {
      kept.add(constructor.get());
    }
    return (threads.getCurrentThreadAllocatedBytes() - before) / COUNT;
  }
}

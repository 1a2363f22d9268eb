package dev.purgatory.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How deep answers and signals are nested on this thread: a callback completes another operation,
 * whose callback completes a third, and so on.
 *
 * <p>Up to {@link #MOST} levels run at once, nested, so that a callback can rely on answers that it
 * caused. Deeper ones belong on another thread: so the stack depth is bounded, and no answer waits
 * for a callback to return.
 */
public final class Nesting {

  /*
   * A thread takes the slot of its id when it enters, and counts its depth there until it leaves. Only
   * the owner of a slot touches its depth. If another thread owns the slot, the depth is counted in a
   * thread-local, which is removed on leaving. Either way nothing of the library stays with the thread,
   * and nothing of the thread with the library. A thread-local alone was measured: setting and removing it
   * takes 30 ns, a sixth of the cost of an operation.
   *
   * Callers enter only after an entry of the library has made sure that there is stack: so `leave`, which
   * calls methods, does not fail, and no depth is left behind. See Headroom.
   *
   * Each caller has its own try and finally. One method for all would take what they call as a lambda, which each
   * signal would allocate, and each answer, which may have no memory for it.
   *
   * A thread that began with a thread-local may continue with a slot that became free. It then counts
   * from zero again, and its depth is still bounded.
   */

  /** The most levels that run at once, nested. */
  public static final int MOST = 32;

  private static final int UNKNOWN = -1;
  private static final int SLOTS = 64;

  /** Slots are two cache lines apart, which processors may fetch together. */
  private static final int STRIDE = 32;

  private static final @Nullable Thread[] OWNERS = new Thread[(SLOTS + 1) * STRIDE];
  private static final int[] DEPTHS = new int[(SLOTS + 1) * STRIDE];
  private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(Thread[].class);
  private static final ThreadLocal<@Nullable Integer> DEPTH = new ThreadLocal<>();

  static {
    leave(enter()); // the first use of a handle takes memory
  }

  private Nesting() {}

  /** Initializes the class, while there is memory. */
  public static void prepare() {}

  /**
   * Enters the user's code. The caller must {@link #leave} with the returned value.
   *
   * @return the depth before, 0 or more; negative if there is no memory to count it
   */
  public static int enter() {
    Thread thread = Thread.currentThread();
    int slot = slotOf(thread);
    Thread owner = (Thread) OWNER.getOpaque(OWNERS, slot); // racy, except for this thread itself
    if (owner == thread) {
      return DEPTHS[slot]++;
    }
    if (owner == null && OWNER.compareAndSet(OWNERS, slot, null, thread)) {
      DEPTHS[slot] = 1;
      return 0;
    }
    return enterWithoutSlot();
  }

  private static int slotOf(Thread thread) {
    return (Stripes.of(thread.getId(), SLOTS) + 1) * STRIDE;
  }

  private static int enterWithoutSlot() {
    try {
      Integer depth = DEPTH.get();
      int before = depth == null ? 0 : depth;
      DEPTH.set(before + 1);
      return before;
    } catch (OutOfMemoryError e) {
      return UNKNOWN;
    }
  }

  /**
   * Leaves the user's code.
   *
   * @param before what {@link #enter} returned
   */
  public static void leave(int before) {
    if (before == UNKNOWN) {
      return;
    }
    Thread thread = Thread.currentThread();
    int slot = slotOf(thread);
    if (OWNER.getOpaque(OWNERS, slot) == thread) { // racy, except for this thread itself
      if (before == 0) {
        OWNER.setRelease(OWNERS, slot, (Thread) null); // the next owner sets its own depth
      } else {
        DEPTHS[slot] = before;
      }
    } else if (before == 0) {
      DEPTH.remove();
    } else {
      DEPTH.set(before);
    }
  }

  /**
   * Returns whether a call belongs on another thread.
   *
   * @param before what {@link #enter} returned
   * @return true from a depth of {@link #MOST} on
   */
  public static boolean isTooDeep(int before) {
    return before >= MOST;
  }
}

package dev.purgatory.base;

/**
 * Makes sure that enough stack is left for a step of the library, before the step begins. Every
 * entry that changes state asks for it first: so a recursion that exhausts the stack fails there,
 * and nothing is left half done.
 */
@SuppressWarnings("UnusedVariable") // they take stack
public final class Headroom {

  /*
   * From an entry to the user's code, and after that code has returned, the library uses less stack than
   * this asks for. The user's code may exhaust the rest: that is contained, and its own calls of the library
   * ask again. Steps inside the library do not ask, because they could not be taken back.
   *
   * A JVM has no call that asks for stack. But it checks at the entry of a method that the frame of this
   * method fits, and it counts a local variable as part of that frame even if nothing uses it. HotSpot's
   * compilers give such a variable no place. They still check for it wherever the method could continue in
   * the interpreter, whose frame would have it: after a branch that was never taken, or in a call. So
   * `ensure` has twelve hundred local variables of 16 bytes, in a branch that is never taken. It costs a call, a
   * read, and five stores that touch the pages. Only the interpreter clears the variables.
   *
   * More stack costs much more: the stores are 4 KB apart, so they fall into one set of the first-level
   * cache, which often has eight places. More than five begin to miss it, and the next atomic step waits for
   * them: with nine, two calls took nearly half of a timer's schedule and cancel.
   *
   * The variables need not be written down one by one. Java compilers copy a finally block, once for each
   * way out of its try block, and each copy has variables of its own. So the number doubles with each level.
   * The method is too long to be inlined, hence its check begins at the stack of its caller.
   *
   * Rejected: a recursion of a known depth costs about 1 us, as the frames of compiled methods are small. A
   * large frame in compiled code takes many values that are alive at a time, as many in the source.
   */

  /** Never true, but not final: a compiler must not know. */
  private static boolean entered;

  private static Object sink = Headroom.class;

  private Headroom() {}

  /**
   * Does nothing if 20 KB of stack are left.
   *
   * @throws StackOverflowError if less is left
   */
  public static void ensure() {
    if (entered) {
      try {
        sink = new Object(); // compilers remove a try block that cannot be left in two ways
      } finally {
        long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t;
        try {
          sink = new Object();
        } finally {
          long a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, t1;
          try {
            sink = new Object();
          } finally {
            long a2, b2, c2, d2, e2, f2, g2, h2, i2, j2, k2, l2, m2, n2, o2, p2, q2, r2, s2, t2;
            try {
              sink = new Object();
            } finally {
              long a3, b3, c3, d3, e3, f3, g3, h3, i3, j3, k3, l3, m3, n3, o3, p3, q3, r3, s3, t3;
              try {
                sink = new Object();
              } finally {
                long a4, b4, c4, d4, e4, f4, g4, h4, i4, j4, k4, l4, m4, n4, o4, p4, q4, r4, s4, t4;
                sink = new Object();
              }
            }
          }
        }
      }
    }
  }
}

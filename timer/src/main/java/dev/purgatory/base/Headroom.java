package dev.purgatory.base;

/**
 * Makes sure that enough stack is left for a step of the library, before the step begins. An entry
 * asks first if it may claim an end, or takes a {@link Mutex}: so a recursion that exhausts the
 * stack fails there, no end is lost, and no lock stays locked.
 */
@SuppressWarnings("UnusedVariable") // they take stack
public final class Headroom {

  /*
   * From an entry to the user's code, and after that code has returned, the library uses less stack than
   * this asks for. The user's code may exhaust the rest: that is contained, and its own calls of the library
   * ask again. Steps inside the library do not ask, because they could not be taken back. Entries that claim no
   * end and take no lock but monitors, which the JVM releases, do not ask either.
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
   * Java compilers copy a finally block, once for each way out of its try block, and each copy has variables of its
   * own. Further levels would spare most of the declarations. But with six, C1 took 50 ms for this method, and
   * what a new JVM runs waits for that. The method is too long to be inlined, hence its check begins at the stack
   * of its caller.
   *
   * Rejected: a recursion of a known depth costs about 1 us, as the frames of compiled methods are small. A
   * large frame in compiled code takes many values that are alive at a time, as many in the source.
   *
   * Rejected: to ask only where an end is claimed, and not to hold a request or to schedule a timeout. To hold one
   * may claim an end: its condition is true, or a limit evicts another request. Without the check, such requests were
   * never answered. And a schedule without it left the lock of a stripe locked in half of the runs of a test:
   * `finally` needs stack, too. No other thread can fire the timeouts of that stripe after that.
   */

  /** Never true, but not final: a compiler must not know. */
  private static boolean entered;

  private static Object sink = Headroom.class;

  /** Read often enough to make the method too long to be inlined. */
  private static int pad;

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
        long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1;
        long c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, n1, o1, p1, q1, r1, s1, t1, u1, v1, w1, x1;
        long y1, z1, a2, b2, c2, d2, e2, f2, g2, h2, i2, j2, k2, l2, m2, n2, o2, p2, q2, r2, s2, t2;
        long u2, v2, w2, x2, y2, z2, a3, b3, c3, d3, e3, f3, g3, h3, i3, j3, k3, l3, m3, n3, o3, p3;
        long q3, r3, s3, t3, u3, v3, w3, x3, y3, z3, a4, b4, c4, d4, e4, f4, g4, h4, i4, j4, k4, l4;
        long m4, n4, o4, p4, q4, r4, s4, t4, u4, v4, w4, x4, y4, z4, a5, b5, c5, d5, e5, f5, g5, h5;
        long i5, j5, k5, l5, m5, n5, o5, p5, q5, r5, s5, t5, u5, v5, w5, x5, y5, z5, a6, b6, c6, d6;
        long e6, f6, g6, h6, i6, j6, k6, l6, m6, n6, o6, p6, q6, r6, s6, t6, u6, v6, w6, x6, y6, z6;
        long a7, b7, c7, d7, e7, f7, g7, h7, i7, j7, k7, l7, m7, n7, o7, p7, q7, r7, s7, t7, u7, v7;
        long w7, x7, y7, z7, a8, b8, c8, d8, e8, f8, g8, h8, i8, j8, k8, l8, m8, n8, o8, p8, q8, r8;
        long s8, t8, u8, v8, w8, x8, y8, z8, a9, b9, c9, d9, e9, f9, g9, h9, i9, j9, k9, l9, m9, n9;
        long o9, p9, q9, r9, s9, t9, u9, v9, w9, x9, y9, z9, a10, b10, c10, d10, e10, f10, g10, h10;
        long i10, j10, k10, l10, m10, n10, o10, p10, q10, r10, s10, t10, u10, v10, w10, x10, y10;
        long z10, a11, b11, c11, d11, e11, f11, g11, h11, i11, j11, k11, l11, m11, n11, o11, p11;
        long q11, r11, s11, t11, u11, v11, w11, x11, y11, z11, a12, b12, c12, d12, e12, f12, g12;
        long h12, i12, j12, k12, l12, m12, n12, o12, p12, q12, r12, s12, t12, u12, v12, w12, x12;
        long y12, z12, a13, b13, c13, d13, e13, f13, g13, h13, i13, j13, k13, l13, m13, n13, o13;
        long p13, q13, r13, s13, t13, u13, v13, w13, x13, y13, z13, a14, b14, c14, d14, e14, f14;
        long g14, h14, i14, j14, k14, l14, m14, n14, o14, p14, q14, r14, s14, t14, u14, v14, w14;
        long x14, y14, z14, a15, b15, c15, d15, e15, f15, g15, h15, i15, j15, k15, l15, m15, n15;
        long o15, p15, q15, r15, s15, t15, u15, v15, w15, x15, y15, z15, a16, b16, c16, d16, e16;
        long f16, g16, h16, i16, j16, k16, l16, m16, n16, o16, p16, q16, r16, s16, t16, u16, v16;
        long w16, x16, y16, z16, a17, b17, c17, d17, e17, f17, g17, h17, i17, j17, k17, l17, m17;
        long n17, o17, p17, q17, r17, s17, t17, u17, v17, w17, x17, y17, z17, a18, b18, c18, d18;
        long e18, f18, g18, h18, i18, j18, k18, l18, m18, n18, o18, p18, q18, r18, s18, t18, u18;
        long v18, w18, x18, y18, z18, a19, b19, c19, d19, e19, f19, g19, h19, i19, j19, k19, l19;
        long m19, n19, o19, p19, q19, r19, s19, t19, u19, v19, w19, x19, y19, z19, a20, b20, c20;
        long d20, e20, f20, g20, h20, i20, j20, k20, l20, m20, n20, o20, p20, q20, r20, s20, t20;
        long u20, v20, w20, x20, y20, z20, a21, b21, c21, d21, e21, f21, g21, h21, i21, j21, k21;
        long l21, m21, n21, o21, p21, q21, r21, s21, t21, u21, v21, w21, x21, y21, z21, a22, b22;
        long c22, d22, e22, f22, g22, h22, i22, j22, k22, l22, m22, n22, o22, p22, q22, r22, s22;
        long t22, u22, v22, w22, x22, y22, z22, a23, b23, c23, d23, e23, f23, g23, h23, i23, j23;
        long k23, l23, m23, n23, o23, p23, q23, r23, s23, t23, u23, v23, w23, x23, y23, z23, a24;
        long b24, c24, d24, e24, f24;
        pad =
            pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad
                + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad
                + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad + pad;
        sink = new Object();
      }
    }
  }
}

package dev.purgatory.races;

import static java.util.Objects.requireNonNull;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.HeldFuture;
import dev.purgatory.Replies;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Races for one correlation id. The third result is the end of its reply, what is left, and whether
 * the id can be used again.
 */
public final class ReplyRaces {
  private ReplyRaces() {}

  /** A table of replies with one id. */
  private static final class OneReply extends VirtualPurgatory {
    private static final String ID = "a";

    private final Replies<String, String> replies;
    private @Nullable HeldFuture<String> reply;

    OneReply() {
      super(builder -> builder);
      replies = replies();
    }

    /** Expects the reply whose end is reported. */
    OneReply expect() {
      reply = replies.expect(ID, TIMEOUT);
      return this;
    }

    /** Expects a reply with the same id, and returns what the caller gets. */
    String expectAgain() {
      try {
        var unused = replies.expect(ID, TIMEOUT);
        return "expected";
      } catch (IllegalStateException e) {
        return "refused";
      }
    }

    boolean complete() {
      return replies.complete(ID, "reply");
    }

    boolean fail() {
      return replies.fail(ID, new IOException());
    }

    int failAll() {
      return replies.failAll(new IOException());
    }

    String end() {
      String end = endAndLeft(requireNonNull(reply));
      // The next request would replace one that has ended.
      boolean isKept = replies.purgatory().inspect().keys() > 0;
      boolean isFree = expectAgain().equals("expected");
      return end + (isFree ? isKept ? " id kept" : " id free" : " id in use");
    }
  }

  /** A reply arrives while its request fails. */
  @JCStressTest
  @Outcome(
      id = "true, false, completed reply pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The reply was first.")
  @Outcome(
      id = "false, true, failed IOException pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The failure was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class CompleteAgainstFail {
    private final OneReply held = new OneReply().expect();

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = held.complete();
    }

    @Actor
    public void fail(LLL_Result r) {
      r.r2 = held.fail();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** A reply arrives while its timeout expires. */
  @JCStressTest
  @Outcome(
      id = "true, null, completed reply pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The reply was first.")
  @Outcome(
      id = "false, null, timed_out TimeoutException pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class CompleteAgainstTimeout {
    private final OneReply held = new OneReply().expect();

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = held.complete();
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** A reply arrives while its id is used for the next request. */
  @JCStressTest
  @Outcome(
      id = "true, refused, completed reply pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The id was still in use.")
  @Outcome(
      id = "true, expected, completed reply pending 1 timed 1 id in use",
      expect = ACCEPTABLE,
      desc = "The id was free, and the next request waits for its own reply.")
  @Outcome(expect = FORBIDDEN, desc = "A reply reached both requests, or neither.")
  @State
  public static class CompleteAgainstExpect {
    private final OneReply held = new OneReply().expect();

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = held.complete();
    }

    @Actor
    public void expect(LLL_Result r) {
      r.r2 = held.expectAgain();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** A connection is lost while a reply is expected. */
  @JCStressTest
  @Outcome(
      id = "1, null, failed IOException pending 0 timed 0 id free",
      expect = ACCEPTABLE,
      desc = "The reply was expected before, and failed.")
  @Outcome(
      id = "0, null, held incomplete pending 1 timed 1 id in use",
      expect = ACCEPTABLE,
      desc = "The reply was expected afterwards, and is still awaited.")
  @Outcome(expect = FORBIDDEN, desc = "The count is wrong, or something is left.")
  @State
  public static class FailAllAgainstExpect {
    private final OneReply held = new OneReply();

    @Actor
    public void failAll(LLL_Result r) {
      r.r1 = held.failAll();
    }

    @Actor
    public void expect() {
      held.expect();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** A reply frees its id while the timeout of its request expires. */
  @JCStressTest
  @Outcome(id = "true, expected, null", expect = ACCEPTABLE, desc = "The reply freed the id.")
  @Outcome(
      id = {"false, expected, null", "false, refused, null"},
      expect = ACCEPTABLE,
      desc = "The timeout was first, and may not have freed the id yet.")
  @Outcome(expect = FORBIDDEN, desc = "The reply arrived, but its id is still in use.")
  @State
  public static class ReuseAgainstTimeout {
    private final OneReply held = new OneReply().expect();

    @Actor
    public void reuse(LLL_Result r) {
      r.r1 = held.complete();
      r.r2 = held.expectAgain();
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }
  }

  /** A reply arrives while its timeout expires, in a table that tells of late replies. */
  @JCStressTest
  @Outcome(
      id = "true, null, completed reply pending 0 timed 0 told 0",
      expect = ACCEPTABLE,
      desc = "The reply was first.")
  @Outcome(
      id = "false, null, timed_out TimeoutException pending 0 timed 0 told 1",
      expect = ACCEPTABLE,
      desc = "The timeout was first, and the reply is reported as late.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "The reply is neither delivered nor told, or something is left.")
  @State
  public static class LateReplyAgainstTimeout {
    private final AtomicInteger told = new AtomicInteger();
    private final VirtualPurgatory held =
        new VirtualPurgatory(
            builder ->
                builder.rememberEnded(
                    VirtualPurgatory.TIMEOUT, 1, reply -> told.incrementAndGet()));
    private final Replies<String, String> replies = held.replies();
    private final HeldFuture<String> reply = replies.expect("a", VirtualPurgatory.TIMEOUT);

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = replies.complete("a", "reply");
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.endAndLeft(reply) + " told " + told;
    }
  }
}

package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Names and keys with any characters and of any length, in JMX and in messages of failures. */
final class HostileNames {
  private static final List<String> NAMES =
      List.of(
          "a,b=c",
          "x\"y\"",
          "line\nbreak",
          "*",
          "?",
          "",
          " ",
          "nul\0",
          "a\\b",
          ":",
          "back\\\"slash",
          "\uD800",
          "x".repeat(100_000));

  /** A key of a client. It would begin a new line in a log, and clear a terminal. */
  private static final String EVIL = "key\n2026-11-28 ERROR root logged in\r\u001b[2J\u202e";

  /** The exact bound is the library's. */
  private static final int MOST = 10_000;

  private final Purgatory<Object> purgatory = Purgatory.builder("messages", Object.class).build();
  private final Replies<Object, String> replies =
      Replies.builder("replies", Object.class, String.class).build();
  private final List<String> messages = new ArrayList<>();

  private HostileNames() {}

  public static void main(String[] args) throws Exception {
    int registered = 0;
    for (String name : NAMES) {
      registered += isRegistered(name) ? 1 : 0;
    }
    HostileNames names = new HostileNames();
    names.collect();
    long longer = names.messages.stream().filter(each -> each.length() > MOST).count();
    long raw =
        names.messages.stream()
            .filter(each -> each.chars().anyMatch(c -> c < ' ' || c == '\u202e'))
            .count();
    System.out.println(
        "names in JMX: "
            + (registered == NAMES.size())
            + ", messages too long: "
            + longer
            + ", with control characters: "
            + raw);
  }

  private static boolean isRegistered(String name) throws Exception {
    Purgatory<String> purgatory = Purgatory.builder(name, String.class).mxBean().build();
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Set<ObjectName> found =
        server.queryNames(new ObjectName("dev.purgatory:type=Purgatory,*"), null);
    boolean equal =
        found.size() == 1 && server.getAttribute(found.iterator().next(), "Name").equals(name);
    purgatory.close();
    return equal;
  }

  private void collect() {
    List<Object> many = IntStream.range(0, 100_000).<Object>mapToObj(i -> "key-" + i).toList();
    for (Object key : List.of(EVIL, "x".repeat(1_000_000))) {
      timedOut(purgatory.<String>untilCompleted().orTimeout(Duration.ofMillis(1)).hold(key));
      timedOut(replies.expect(key, Duration.ofMillis(1)));
      HeldFuture<String> held =
          purgatory.<String>untilCompleted().orTimeout(Duration.ofHours(1)).hold(key);
      messages.add(held.toString());
      var unused = replies.expect(key, Duration.ofHours(1));
      try {
        unused = replies.expect(key, Duration.ofHours(1));
      } catch (IllegalStateException e) {
        messages.add(String.valueOf(e.getMessage()));
      }
      boolean unusedCancelled = held.cancel(false);
      ended(held);
    }
    timedOut(purgatory.<String>untilCompleted().orTimeout(Duration.ofMillis(1)).hold(many));
  }

  private void timedOut(HeldFuture<String> future) {
    ended(future);
    messages.add(future.toString());
  }

  private void ended(HeldFuture<String> future) {
    Throwable failure = future.<Throwable>handle((value, error) -> error).join();
    messages.add(String.valueOf(failure.getMessage()));
  }
}

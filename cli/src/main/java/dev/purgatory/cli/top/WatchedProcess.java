package dev.purgatory.cli.top;

import static java.util.Objects.requireNonNull;

import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import dev.purgatory.base.ForeignText;
import dev.purgatory.cluster.probe.JmxConnection;
import dev.purgatory.console.PurgatoryReading;
import dev.purgatory.console.PurgatoryReading.Counts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * A JVM whose purgatories are read again and again. After a failure, the next reading connects
 * again, so the JVM may be restarted. Not thread-safe.
 */
public final class WatchedProcess {

  /*
   * A process may hang, and JMX waits for it without a limit. So whatever talks to it runs on a daemon, one at a
   * time for each process, and the caller waits for a limited time. The connection belongs to that thread.
   */

  private static final Pattern PID = Pattern.compile("\\d{1,18}");
  private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):(\\d{1,5})");
  private static final Pattern JAVA = Pattern.compile(".*\\bjavaw?(\\.exe)?");
  private static final String BROKER = "kafka.Kafka";
  private static final long CLOSE_MILLIS = 1_000;

  private final String title;
  private final Connector connector;

  /** Whether a process can still be there. */
  private final BooleanSupplier exists;

  private @Nullable JmxConnection connection;

  /** The reading that runs, or whose result was not taken; null if there is none. */
  private @Nullable FutureTask<Reading> running;

  /** Whether nobody waits for it any more. */
  private boolean isLate;

  private @Nullable String obstacle;
  private Reading before = Reading.NONE;
  private Reading now = Reading.NONE;

  /** Opens a connection. */
  private interface Connector {
    JmxConnection open() throws IOException;
  }

  private record Reading(long nanos, Map<String, PurgatoryReading> purgatories) {
    static final Reading NONE = new Reading(0, Map.of());
  }

  /**
   * A purgatory at the last reading.
   *
   * @param now its values
   * @param perSecond what happened between the last two readings; null if there was only one
   */
  public record Row(PurgatoryReading now, @Nullable Counts perSecond) {}

  private WatchedProcess(String title, Connector connector, BooleanSupplier exists) {
    this.title = ForeignText.of(title);
    this.connector = connector;
    this.exists = exists;
  }

  /**
   * Returns the process at an address, without connecting to it.
   *
   * @param address the id of a process of the same user on this machine, or {@code HOST:PORT}
   * @throws IllegalArgumentException if it is neither, or the process is no JVM
   */
  public static WatchedProcess at(String address) {
    if (PID.matcher(address).matches()) {
      long pid = Long.parseLong(address);
      if (isOther(pid)) {
        throw new IllegalArgumentException(noJvm(pid));
      }
      return new WatchedProcess(
          title(pid),
          () -> attach(pid),
          () -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent());
    }
    Matcher parts = HOST_AND_PORT.matcher(address);
    int port = parts.matches() ? Integer.parseInt(parts.group(2)) : 0;
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("neither a process nor HOST:PORT: " + address);
    }
    return new WatchedProcess(
        address, () -> JmxConnection.connect(parts.group(1), port), () -> true);
  }

  /** Returns the Kafka brokers that this user runs on this machine. */
  public static List<WatchedProcess> brokers() {
    return VirtualMachine.list().stream()
        .filter(each -> each.displayName().startsWith(BROKER))
        .map(VirtualMachineDescriptor::id)
        .sorted()
        .map(WatchedProcess::at)
        .toList();
  }

  private static String title(long pid) {
    return descriptor(pid)
        .map(each -> pid + " " + each.displayName())
        .orElse(Long.toString(pid))
        .strip();
  }

  private static Optional<VirtualMachineDescriptor> descriptor(long pid) {
    String id = Long.toString(pid);
    return VirtualMachine.list().stream().filter(each -> each.id().equals(id)).findFirst();
  }

  /** Attaches to a JVM. This sends SIGQUIT, which ends a process that is none. */
  private static JmxConnection attach(long pid) throws IOException {
    if (isOther(pid)) {
      throw new IOException(noJvm(pid));
    }
    return JmxConnection.attach(pid);
  }

  /** Returns whether this is a process, and not a JVM. */
  private static boolean isOther(long pid) {
    Optional<ProcessHandle> process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    return process.isPresent()
        && descriptor(pid).isEmpty()
        && process.get().info().command().filter(JAVA.asMatchPredicate()).isEmpty();
  }

  private static String noJvm(long pid) {
    return "process " + pid + " is no JVM of yours";
  }

  /** Returns what the user knows it by. */
  public String title() {
    return title;
  }

  /**
   * Reads all purgatories of processes. Those that fail, or do not answer, have an {@link
   * #obstacle} afterwards. Does not wait for a reading for which an earlier call has waited: a
   * later call takes its result.
   *
   * @param patience how long to wait for the other ones, together
   */
  public static void read(List<WatchedProcess> processes, Duration patience)
      throws InterruptedException {
    processes.forEach(WatchedProcess::begin);
    long deadline = System.nanoTime() + patience.toNanos();
    for (WatchedProcess each : processes) {
      each.end(deadline);
    }
  }

  private void begin() {
    if (running == null) {
      FutureTask<Reading> next = new FutureTask<>(this::readings);
      start(next); // fails without memory for a thread
      running = next;
      isLate = false;
    }
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "top");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private Reading readings() throws IOException {
    try {
      Map<String, PurgatoryReading> found =
          PurgatoryReading.readAll(connection()).stream()
              .collect(Collectors.toMap(PurgatoryReading::name, each -> each, (one, two) -> one));
      return new Reading(System.nanoTime(), found);
    } catch (IOException | RuntimeException e) {
      disconnect();
      throw e;
    }
  }

  private void end(long deadline) throws InterruptedException {
    try {
      long patience = isLate ? 0 : deadline - System.nanoTime();
      Reading found = requireNonNull(running).get(patience, TimeUnit.NANOSECONDS);
      running = null;
      before = now;
      now = found;
      obstacle = null;
    } catch (TimeoutException e) {
      isLate = true;
      fail("does not answer");
    } catch (ExecutionException e) {
      running = null;
      fail("cannot be reached: " + reason(e));
    }
  }

  private void fail(String why) {
    before = Reading.NONE;
    now = Reading.NONE;
    obstacle = why;
  }

  private MBeanServerConnection connection() throws IOException {
    JmxConnection open = connection;
    if (open == null) {
      open = connector.open();
      connection = open;
    }
    return open.server();
  }

  private static String reason(Exception exception) {
    Throwable cause = exception;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : ForeignText.of(message.lines().findFirst().orElse(""));
  }

  /** Returns why the last reading failed; empty if it succeeded. */
  public Optional<String> obstacle() {
    return Optional.ofNullable(obstacle);
  }

  /** Returns whether the last reading failed, and later ones will: the process has ended. */
  public boolean hasEnded() {
    return obstacle != null && !exists.getAsBoolean();
  }

  /** Returns the purgatories at the last reading, ordered by name. */
  public List<Row> rows() {
    return now.purgatories.values().stream()
        .sorted(Comparator.comparing(PurgatoryReading::name))
        .map(this::row)
        .toList();
  }

  private Row row(PurgatoryReading reading) {
    PurgatoryReading earlier = before.purgatories.get(reading.name());
    Counts from = earlier == null ? null : earlier.counts();
    Counts to = reading.counts();
    double seconds = (now.nanos - before.nanos) / 1e9;
    return new Row(reading, from == null || to == null ? null : to.perSecondSince(from, seconds));
  }

  private void disconnect() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /** Closes the connections to processes. That to one which does not answer ends with this JVM. */
  public static void close(List<WatchedProcess> processes) throws InterruptedException {
    List<Thread> closing = new ArrayList<>();
    for (WatchedProcess each : processes) {
      if (each.running == null) {
        closing.add(start(each::disconnect));
      }
    }
    for (Thread each : closing) {
      each.join(CLOSE_MILLIS);
    }
  }
}

package dev.purgatory.cli.top;

import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import dev.purgatory.cluster.probe.JmxConnection;
import dev.purgatory.console.PurgatoryReading;
import dev.purgatory.console.PurgatoryReading.Counts;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * A JVM whose purgatories are read again and again. After a failure, it is connected to again at
 * the next reading, so it may be started anew meanwhile. Not thread-safe.
 */
public final class WatchedProcess implements AutoCloseable {
  private static final Pattern PID = Pattern.compile("\\d{1,18}");
  private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):(\\d{1,5})");
  private static final String BROKER = "kafka.Kafka";

  private final String title;
  private final Connector connector;

  /** Whether a process can still be there. */
  private final BooleanSupplier exists;

  private @Nullable JmxConnection connection;
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
    this.title = title;
    this.connector = connector;
    this.exists = exists;
  }

  /**
   * Returns the process at an address, without connecting to it.
   *
   * @param address the id of a process of the same user on this machine, or {@code HOST:PORT}
   * @throws IllegalArgumentException if it is neither
   */
  public static WatchedProcess at(String address) {
    if (PID.matcher(address).matches()) {
      long pid = Long.parseLong(address);
      return new WatchedProcess(
          title(pid),
          () -> JmxConnection.attach(pid),
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
    String id = Long.toString(pid);
    return VirtualMachine.list().stream()
        .filter(each -> each.id().equals(id))
        .map(each -> id + " " + each.displayName())
        .findFirst()
        .orElse(id)
        .strip();
  }

  /** Returns what the user knows it by. */
  public String title() {
    return title;
  }

  /** Reads all purgatories. If that fails, there is an {@link #obstacle} afterwards. */
  public void read() {
    try {
      Map<String, PurgatoryReading> found =
          PurgatoryReading.readAll(connection()).stream()
              .collect(Collectors.toMap(PurgatoryReading::name, each -> each, (one, two) -> one));
      before = now;
      now = new Reading(System.nanoTime(), found);
      obstacle = null;
    } catch (IOException | RuntimeException e) {
      close();
      before = Reading.NONE;
      now = Reading.NONE;
      obstacle = "cannot be reached: " + reason(e);
    }
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
        : message.lines().findFirst().orElse("");
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

  @Override
  public void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}

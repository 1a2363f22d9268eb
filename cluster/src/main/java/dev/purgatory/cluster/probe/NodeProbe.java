package dev.purgatory.cluster.probe;

import static java.lang.Double.parseDouble;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Reads the counters of a node's process. Works the same for stock Kafka and the drop-in. */
public final class NodeProbe implements AutoCloseable {
  private static final ObjectName DROP_IN = JmxConnection.name("dev.purgatory:type=DropIn");
  private static final ObjectName STATE =
      JmxConnection.name("kafka.server:type=KafkaServer,name=BrokerState");
  private static final ObjectName CONTROLLER =
      JmxConnection.name("kafka.controller:type=KafkaController,name=ActiveControllerCount");
  private static final ObjectName UNDER_REPLICATED =
      JmxConnection.name("kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions");
  private static final ObjectName PROCESS = JmxConnection.name("java.lang:type=OperatingSystem");

  private static final String DELAYED = "kafka.server:type=DelayedOperationPurgatory,";
  private static final long RUNNING = 3;

  /** All classes of operations that a Kafka 4.3 broker holds; each extends DelayedOperation. */
  static final Set<String> OPERATIONS =
      Set.of(
          "kafka.server.DelayedFetch",
          "kafka.server.share.DelayedShareFetch",
          "org.apache.kafka.server.purgatory.DelayedDeleteRecords",
          "org.apache.kafka.server.purgatory.DelayedFuture",
          "org.apache.kafka.server.purgatory.DelayedProduce",
          "org.apache.kafka.server.purgatory.DelayedRemoteFetch",
          "org.apache.kafka.server.purgatory.DelayedRemoteListOffsets");

  /** A line of the JVM's histogram: rank, instances, bytes, class, and possibly a module. */
  private static final Pattern HISTOGRAM_LINE =
      Pattern.compile("^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+)", Pattern.MULTILINE);

  /** The last line of the JVM's histogram: the instances and bytes of all classes. */
  private static final Pattern HISTOGRAM_TOTAL =
      Pattern.compile("^Total\\s+\\d+\\s+(\\d+)", Pattern.MULTILINE);

  /** The line of a compiler in the JVM's list of threads, with its processor time. */
  private static final Pattern COMPILER =
      Pattern.compile("^\"C[12] CompilerThread.* cpu=([\\d.]+)ms", Pattern.MULTILINE);

  /**
   * The number of times that the live heap is measured. Concurrent allocations only increase the
   * result, so the lowest one is used.
   */
  private static final int HEAP_SAMPLES = 3;

  private final long pid;
  private final JmxConnection jmx;

  /**
   * Creates a probe on an open connection.
   *
   * @param pid the id of the process
   * @param jmx the connection to the process, which is closed together with this probe
   */
  NodeProbe(long pid, JmxConnection jmx) {
    this.pid = pid;
    this.jmx = jmx;
  }

  /**
   * Attaches to a process.
   *
   * @param pid the id of a JVM of the same user that already serves clients: the signal to attach
   *     would kill a JVM that is still starting
   * @throws IOException if the process cannot be attached to
   */
  public static NodeProbe attach(long pid) throws IOException {
    return new NodeProbe(pid, JmxConnection.attach(pid));
  }

  /** Returns the id of the process. */
  public long pid() {
    return pid;
  }

  /** Returns the MBeans of the process. */
  MBeanServerConnection mBeans() {
    return jmx.server();
  }

  /**
   * Returns whether the broker serves clients.
   *
   * @throws IOException if the process cannot be reached
   */
  public boolean isRunning() throws IOException {
    return jmx.readLong(STATE, "Value") == RUNNING;
  }

  /**
   * Returns whether the node is the active controller.
   *
   * @throws IOException if the process cannot be reached
   */
  public boolean isActiveController() throws IOException {
    return jmx.readLong(CONTROLLER, "Value") == 1;
  }

  /**
   * Returns the number of partitions whose leader is this node and some of whose replicas are not
   * in sync.
   *
   * @throws IOException if the process cannot be reached
   */
  public long underReplicated() throws IOException {
    return jmx.readLong(UNDER_REPLICATED, "Value");
  }

  /**
   * Describes the drop-in that the node runs.
   *
   * @return a phrase with the versions of the drop-in and Kafka; empty if the node runs stock Kafka
   * @throws IOException if the process cannot be reached
   */
  public Optional<String> dropIn() throws IOException {
    Object version = jmx.read(DROP_IN, "Version");
    return version == null
        ? Optional.empty()
        : Optional.of("drop-in " + version + " on Kafka " + jmx.read(DROP_IN, "KafkaVersion"));
  }

  /**
   * Reads all counters.
   *
   * @throws IOException if the process cannot be reached
   */
  public NodeSample sample() throws IOException {
    return new NodeSample(
        purgatories(), meteredExpired(), jmx.sum(DELAYED + "name=PurgatorySize,*", "Value"), cpu());
  }

  /**
   * Returns the processor time of all threads of the process so far.
   *
   * @throws IOException if the process cannot be reached
   */
  public Duration cpu() throws IOException {
    return Duration.ofNanos(jmx.readLong(PROCESS, "ProcessCpuTime"));
  }

  /**
   * Returns the part of {@link #cpu} that the just-in-time compilers have used. Misses the time of
   * ended compiler threads: with many processors, a JVM ends idle ones.
   *
   * @throws IOException if the process cannot be reached or does not support this
   */
  public Duration compilersCpu() throws IOException {
    return compilersCpu(jmx.threads());
  }

  /** Returns the processor time of the compilers in a list of threads as the JVM prints it. */
  static Duration compilersCpu(String threads) throws IOException {
    List<MatchResult> compilers = COMPILER.matcher(threads).results().toList();
    if (compilers.isEmpty()) {
      throw new IOException("the list of threads has no compilers");
    }
    double millis = compilers.stream().mapToDouble(each -> parseDouble(each.group(1))).sum();
    return Duration.ofNanos((long) (millis * TimeUnit.MILLISECONDS.toNanos(1)));
  }

  /**
   * Returns the number of operations that the purgatories hold now.
   *
   * @throws IOException if the process cannot be reached
   */
  public long held() throws IOException {
    return jmx.sum(DELAYED + "name=NumDelayedOperations,*", "Value");
  }

  /**
   * Returns how many operations each purgatory of the drop-in has held so far, by its name.
   *
   * @throws IOException if the process cannot be reached
   */
  public Map<String, Long> heldByPurgatory() throws IOException {
    Map<String, Long> held = new TreeMap<>();
    for (ObjectName bean : jmx.find("dev.purgatory:type=Purgatory,*")) {
      held.merge(bean.getKeyProperty("name"), jmx.readLong(bean, "Held"), Long::sum);
    }
    return held;
  }

  /**
   * Returns the number of produce requests that expired before all replicas had their records.
   *
   * @throws IOException if the process cannot be reached
   */
  public long expiredProduces() throws IOException {
    return jmx.sum("kafka.server:type=DelayedProduceMetrics,name=ExpiresPerSec", "Count");
  }

  /**
   * Returns the bytes of all live objects after a full collection. Does not use {@code
   * System.gc()}, which only starts a concurrent collection with the options of Kafka's start
   * script.
   *
   * @throws IOException if the process cannot be reached or does not support this
   */
  public long liveBytes() throws IOException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < HEAP_SAMPLES; i++) {
      least = Math.min(least, bytes(jmx.liveObjects()));
    }
    return least;
  }

  /** Returns the bytes of all objects in a histogram as the JVM prints it. */
  static long bytes(String histogram) throws IOException {
    Matcher total = HISTOGRAM_TOTAL.matcher(histogram);
    if (!total.find()) {
      throw new IOException("the histogram of the heap has no total");
    }
    return Long.parseLong(total.group(1));
  }

  private @Nullable PurgatoryCounts purgatories() throws IOException {
    PurgatoryCounts sum = null;
    for (ObjectName bean : jmx.find("dev.purgatory:type=Purgatory,*")) {
      PurgatoryCounts one = purgatory(bean);
      sum = sum == null ? one : sum.plus(one);
    }
    return sum;
  }

  private PurgatoryCounts purgatory(ObjectName bean) throws IOException {
    return new PurgatoryCounts(
        jmx.readLong(bean, "Held"),
        jmx.readLong(bean, "Completed"),
        jmx.readLong(bean, "Expired"),
        jmx.readLong(bean, "Cancelled"),
        jmx.readLong(bean, "Pending"),
        jmx.readLong(bean, "Errors"),
        histogram(jmx.read(bean, "HeldMicrosHistogram")),
        histogram(jmx.read(bean, "LatenessMicrosHistogram")));
  }

  private static Histogram histogram(@Nullable Object encoded) throws IOException {
    if (!(encoded instanceof String text) || text.isEmpty()) {
      return PurgatoryCounts.none().heldMicros();
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
    } catch (DataFormatException e) {
      throw new IOException("not a histogram: " + e.getMessage(), e);
    }
  }

  /** For produce requests, there is a meter per partition as well; this reads only the total. */
  private long meteredExpired() throws IOException {
    return jmx.sum("kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,*", "Count")
        + expiredProduces();
  }

  /**
   * Counts the completed operations that are still reachable after a full collection. The result
   * can be slightly off, since live and held operations are not counted at the same time.
   *
   * @return live operations minus held ones, at least 0
   * @throws IOException if the process cannot be reached
   */
  public long retained() throws IOException {
    long live = operations(jmx.liveObjects());
    return Math.max(0, live - held());
  }

  /** Returns the number of operations in a histogram as the JVM prints it. */
  static long operations(String histogram) {
    long count = 0;
    Matcher line = HISTOGRAM_LINE.matcher(histogram);
    while (line.find()) {
      if (OPERATIONS.contains(line.group(2))) {
        count += Long.parseLong(line.group(1));
      }
    }
    return count;
  }

  @Override
  public void close() {
    jmx.close();
  }
}

package dev.purgatory.cluster.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.HdrHistogram.Histogram;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.junit.jupiter.api.Test;

class NodeProbeTest {
  private final MBeanServer server = MBeanServerFactory.newMBeanServer();
  private final NodeProbe probe = new NodeProbe(1, new JmxConnection(server, () -> {}));

  /** Some of the attributes of a purgatory of the drop-in. */
  public interface PurgatoryMXBean {
    long getHeld();

    long getExpired();

    String getHeldMicrosHistogram();
  }

  private record FakePurgatory(long getHeld, long getExpired, String getHeldMicrosHistogram)
      implements PurgatoryMXBean {}

  /** The attributes of the drop-in. */
  public interface DropInMXBean {
    String getVersion();

    String getKafkaVersion();
  }

  private record FakeDropIn(String getVersion, String getKafkaVersion) implements DropInMXBean {}

  private static String encoded(long... micros) {
    Histogram histogram = new Histogram(2);
    Arrays.stream(micros).forEach(histogram::recordValue);
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  private void register(Object bean, String name) throws JMException {
    server.registerMBean(bean, JmxConnection.name(name));
  }

  @Test
  void stockKafkaHasNoPurgatoryCounters() throws IOException {
    assertThat(probe.dropIn()).isEmpty();
    assertThat(probe.isRunning()).isFalse();
    assertThat(probe.sample().purgatories()).isNull();
    assertThat(probe.sample().meteredExpired()).isZero();
  }

  @Test
  void readsTheVersionOfTheDropIn() throws IOException, JMException {
    register(new FakeDropIn("0.1.0", "4.3.1"), "dev.purgatory:type=DropIn");
    assertThat(probe.dropIn()).contains("drop-in 0.1.0 on Kafka 4.3.1");
  }

  @Test
  void mergesThePurgatoriesOfANode() throws IOException, JMException {
    register(
        new FakePurgatory(5, 2, encoded(100, 200)),
        "dev.purgatory:type=Purgatory,name=Fetch,broker=1");
    register(new FakePurgatory(3, 1, encoded(400)), "dev.purgatory:type=Purgatory,name=Produce");
    PurgatoryCounts sum = Objects.requireNonNull(probe.sample().purgatories());
    assertThat(sum.held()).isEqualTo(8);
    assertThat(sum.expired()).isEqualTo(3);
    assertThat(sum.cancelled()).isZero();
    assertThat(sum.heldMicros().getTotalCount()).isEqualTo(3);
    assertThat(sum.heldMicros().getMaxValue()).isBetween(400L, 403L);
    assertThat(sum.latenessMicros().getTotalCount()).isZero();
  }

  /** A class that has another name would not be counted. */
  @Test
  void namesOfOperationsAreThoseOfTheBroker() throws ClassNotFoundException {
    for (String name : NodeProbe.OPERATIONS) {
      assertThat(Class.forName(name, false, getClass().getClassLoader()))
          .isAssignableTo(DelayedOperation.class);
    }
  }

  @Test
  void countsOnlyOperationsInAHistogram() {
    String histogram =
        """
         num     #instances         #bytes  class name (module)
        -------------------------------------------------------
           1:          1234          56789  [B (java.base@17.0.15)
           2:            40           1600  kafka.server.DelayedFetch
           3:             2             96  org.apache.kafka.server.purgatory.DelayedProduce
           4:             7             96  org.apache.kafka.server.purgatory.DelayedOperationPurgatory
           5:             9             96  kafka.server.DelayedFetch$$Lambda$12
        Total          1292          58677
        """;
    assertThat(NodeProbe.operations(histogram)).isEqualTo(42);
  }

  @Test
  void readsTheTotalOfAHistogram() throws IOException {
    assertThat(NodeProbe.bytes("   1:  12  34  [B\nTotal          1292          58677\n"))
        .isEqualTo(58677);
    assertThatThrownBy(() -> NodeProbe.bytes("nonsense")).isInstanceOf(IOException.class);
  }

  @Test
  void addsUpTheTimeOfTheCompilers() throws IOException {
    String threads =
        """
        "main" #1 prio=5 os_prio=0 cpu=99.00ms elapsed=9.90s tid=0x1 nid=0x1 runnable
        "C2 CompilerThread0" #7 daemon prio=9 os_prio=0 cpu=125.90ms elapsed=9.47s tid=0x7
        "C1 CompilerThread0" #8 [42] daemon prio=9 os_prio=0 cpu=8.60ms elapsed=9.47s tid=0x8
        """;
    assertThat(NodeProbe.compilersCpu(threads)).isEqualTo(Duration.ofNanos(134_500_000));
    assertThatThrownBy(() -> NodeProbe.compilersCpu("no threads"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no compilers");
  }

  @Test
  void readsTheTimeOfTheCompilersOfARunningJvm() throws IOException {
    MBeanServer own = ManagementFactory.getPlatformMBeanServer();
    NodeProbe here = new NodeProbe(1, new JmxConnection(own, () -> {}));
    assertThat(here.compilersCpu()).isPositive().isLessThan(here.cpu());
  }
}

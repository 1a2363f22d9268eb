package dev.purgatory.cluster.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.probe.PurgatoryReading.Counts;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;

class PurgatoryReadingTest {
  private final MBeanServer server = MBeanServerFactory.newMBeanServer();
  private final JmxConnection jmx = new JmxConnection(server, () -> {});

  /** Some of the attributes of a purgatory of the drop-in. */
  public interface BrokerMXBean {
    long getPending();

    long getHeld();

    long getExpired();
  }

  private record Broker(long getPending, long getHeld, long getExpired) implements BrokerMXBean {}

  /** Some of the attributes of a purgatory of an application. */
  public interface ApplicationMXBean {
    String getName();

    long getPending();

    long getTimedOut();

    long getOldestMillis();

    long getNextDueMillis();

    double getLatenessMsP99();
  }

  private record Application(
      String getName,
      long getPending,
      long getTimedOut,
      long getOldestMillis,
      long getNextDueMillis,
      double getLatenessMsP99)
      implements ApplicationMXBean {}

  @Test
  void bothKindsOfMBeans_areRead_inTheOrderOfTheirNames() throws Exception {
    server.registerMBean(
        new Application("long polls", 7, 3, 250, -1, 1.5),
        JmxConnection.name("dev.purgatory:type=Purgatory,name=\"long polls\""));
    server.registerMBean(
        new Broker(5, 9, 4),
        JmxConnection.name("dev.purgatory:type=Purgatory,name=Fetch,broker=1"));
    assertThat(PurgatoryReading.readAll(jmx))
        .containsExactly(
            new PurgatoryReading(
                "Fetch", 5, null, null, null, 0, new Counts(9, 0, 4, 0, 0, 0, 0, 0)),
            new PurgatoryReading(
                "long polls", 7, 250L, -1L, 1.5, 0, new Counts(0, 0, 3, 0, 0, 0, 0, 0)));
  }

  @Test
  void rates_areDifferencesPerSecond() {
    Counts earlier = new Counts(1, 2, 3, 4, 5, 6, 7, 8);
    Counts later = new Counts(2, 4, 6, 8, 10, 12, 14, 16);
    assertThat(later.perSecondSince(earlier, 0.5))
        .isEqualTo(new Counts(2, 4, 6, 8, 10, 12, 14, 16));
  }
}

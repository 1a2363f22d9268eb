package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.console.PurgatoryReading.Counts;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class PurgatoryReadingTest {
  private final MBeanServer server = MBeanServerFactory.newMBeanServer();

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
        new ObjectName("dev.purgatory:type=Purgatory,name=\"long polls\""));
    server.registerMBean(
        new Broker(5, 9, 4), new ObjectName("dev.purgatory:type=Purgatory,name=Fetch,broker=1"));
    assertThat(PurgatoryReading.readAll(server))
        .containsExactly(
            new PurgatoryReading("Fetch", 5, 0, null, null, null, new Counts(9, 0, 4, 0, 0, 0, 0)),
            new PurgatoryReading(
                "long polls", 7, 0, 250L, -1L, 1.5, new Counts(0, 0, 3, 0, 0, 0, 0)));
  }

  @Test
  void rates_areDifferencesPerSecond() {
    Counts earlier = new Counts(1, 2, 3, 4, 5, 6, 7);
    Counts later = new Counts(2, 4, 6, 8, 10, 12, 14);
    assertThat(later.perSecondSince(earlier, 0.5)).isEqualTo(new Counts(2, 4, 6, 8, 10, 12, 14));
  }
}

package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads the log by reflection, as the library's module does not require java.logging. */
class LastResortTest {
  private static final int MAX_PER_SECOND = 10;

  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final IllegalStateException error = new IllegalStateException("expected");
  private final Class<?> loggerType = Class.forName("java.util.logging.Logger");
  private final Class<?> filterType = Class.forName("java.util.logging.Filter");
  private final Object logger =
      loggerType.getMethod("getLogger", String.class).invoke(null, "dev.purgatory");

  LastResortTest() throws ReflectiveOperationException {}

  @BeforeEach
  void record() throws ReflectiveOperationException {
    Object filter =
        Proxy.newProxyInstance(
            filterType.getClassLoader(),
            new Class<?>[] {filterType},
            (proxy, method, arguments) -> {
              Object record = arguments[0];
              messages.add((String) record.getClass().getMethod("getMessage").invoke(record));
              return false;
            });
    loggerType.getMethod("setFilter", filterType).invoke(logger, filter);
  }

  @AfterEach
  void stopRecording() throws ReflectiveOperationException {
    loggerType.getMethod("setFilter", filterType).invoke(logger, new Object[] {null});
  }

  @Test
  void log_burst_logsTenErrorsPerSecond() {
    long begin = System.nanoTime();
    for (int i = 0; i < 20_000; i++) {
      LastResort.log("A burst", error);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
    assertThat(messages.size()).isLessThanOrEqualTo((int) (seconds + 1) * MAX_PER_SECOND);
  }

  @Test
  void log_burstContinuesInTheNextSecond_reportsHowManyWereNotLogged() {
    long calls = 0;
    do {
      LastResort.log("A long burst", error);
      calls++;
    } while (messages.stream()
        .noneMatch(each -> each.matches("A long burst \\([1-9].* not logged\\)")));
    assertThat(calls).isGreaterThanOrEqualTo(messages.size());
  }
}

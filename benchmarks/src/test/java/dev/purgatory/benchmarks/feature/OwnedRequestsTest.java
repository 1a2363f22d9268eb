package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Eventually;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all contenders that cancel the requests of an owner. */
@ParameterizedClass
@MethodSource("rivals")
class OwnedRequestsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final OwnedRequests requests;

  OwnedRequestsTest(Rival<OwnedRequests> rival) {
    requests = rival.start().get();
  }

  static Stream<Rival<OwnedRequests>> rivals() {
    return Lineup.SCOPES.rivals().stream();
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void cancelsAllRequestsOfOneOwner() {
    for (long key = 0; key < 100; key++) {
      requests.hold((int) key % 4, key, LONG);
    }

    assertThat(requests.cancel(1)).isEqualTo(25);

    assertThat(requests.pending()).isEqualTo(75);
    assertThat(requests.cancel(1)).isZero();
    assertThat(requests.cancel(9)).isZero();
  }

  @Test
  void ownerCanHoldAgain() {
    requests.hold(1, 1L, LONG);
    assertThat(requests.cancel(1)).isEqualTo(1);
    requests.hold(1, 2L, LONG);

    assertThat(requests.cancel(1)).isEqualTo(1);
    assertThat(requests.pending()).isZero();
  }

  @Test
  void requestThatTimedOutIsFreed() throws InterruptedException {
    requests.hold(1, 1L, Duration.ofMillis(20));
    requests.hold(1, 2L, LONG);
    Eventually.await(() -> requests.pending() == 1);

    assertThat(requests.cancel(1)).isEqualTo(1);
  }
}

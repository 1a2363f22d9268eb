package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.session.SessionEnd;
import dev.purgatory.session.Sessions;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A sample of docs/use/testing.md: sessions expire when the test moves the time. */
@ExtendWith(PurgatoryExtension.class)
class SessionsInVirtualTimeTest {

  @Test
  void silentSession_expires(VirtualTime time) {
    // sample: sessions-in-virtual-time
    List<SessionEnd<String, String>> ends = new ArrayList<>();
    Sessions<String, String> sessions =
        new Sessions<>(time.timer(), Duration.ofSeconds(10), ends::add);
    sessions.open("client-7", "connection");

    time.advance(Duration.ofSeconds(9));
    assertThat(sessions.touch("client-7")).isTrue();

    time.advance(Duration.ofSeconds(10).minusNanos(1));
    assertThat(ends).isEmpty();

    time.advance(Duration.ofNanos(1));
    assertThat(ends)
        .extracting(end -> end.reason() + " " + end.idle())
        .containsExactly("EXPIRED PT10S");
    // end
    sessions.close();
  }
}

package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PurgatoryExtension.class)
class LateRepliesTest {

  @Test
  void replyAfterTheTimeout_isTold(VirtualTime time) {
    try (LateReplies client = new LateReplies(time.replies("rpc", Integer.class, String.class))) {
      HeldFuture<String> reply = client.expect(1);
      time.advance(Duration.ofSeconds(8));
      client.onReply(1, "eins");
      assertThat(reply).isCompletedExceptionally();
      assertThat(client.log()).containsExactly("1 was late: TIMED_OUT PT3S before", "1 dropped");
    }
  }
}

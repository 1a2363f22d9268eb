package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

// sample: testkit-junit
@ExtendWith(PurgatoryExtension.class)
class LongPollTest {
  private LongPoll server;

  @BeforeEach
  void start(VirtualTime time) {
    server = new LongPoll(time.purgatory("polls", String.class));
  }

  @Test
  void message_answersThePoll(VirtualTime time) {
    CompletableFuture<List<String>> poll = server.poll("topic", 0);
    time.advance(Duration.ofSeconds(10));
    server.append("topic", "hello");
    assertThat(poll).isCompletedWithValue(List.of("hello"));
  }

  @Test
  void cancelledPoll_isReleased(VirtualTime time) {
    CompletableFuture<List<String>> poll = time.track(server.poll("topic", 0));
    assertThat(poll.cancel(false)).isTrue();
  }
}
// end

package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.examples.QuorumRead.Call;
import dev.purgatory.examples.QuorumRead.Version;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PurgatoryExtension.class)
class QuorumReadTest {

  @Test
  void twoOfThreeReplies_areEnough_andOneIsNot(VirtualTime time) {
    List<Call> sent = new ArrayList<>();
    QuorumRead reads =
        new QuorumRead(
            time.<Call, Version>replies("reads", Call.class, Version.class).build(),
            Set.of("a", "b", "c"),
            (call, key) -> sent.add(call));
    CompletableFuture<String> first = reads.read("key");
    assertThat(sent).hasSize(3);
    reads.onReply(1, "b", new Version(8, "new"));
    assertThat(first).isNotDone();
    reads.onReply(1, "a", new Version(7, "old"));
    assertThat(first).isCompletedWithValue("new");

    CompletableFuture<String> second = reads.read("key");
    reads.onReply(2, "c", new Version(8, "new"));
    time.advance(Duration.ofSeconds(1));
    assertThatThrownBy(second::join).hasMessageContaining("too few replicas");
  }
}

package dev.purgatory.examples.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.util.concurrent.ListenableFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.testkit.VirtualTime;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PollServiceTest {
  private final VirtualTime time = VirtualTime.create();
  private final Purgatory<String> polls = time.purgatory("polls", String.class);
  private final PollService service = new PollService(polls);
  private final Server server = InProcessServerBuilder.forName("polls").addService(service).build();
  private final ManagedChannel channel = InProcessChannelBuilder.forName("polls").build();

  @BeforeEach
  void start() throws Exception {
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    polls.close();
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    server.shutdownNow().awaitTermination();
  }

  @Test
  void news_answerTheCall() throws Exception {
    ListenableFuture<String> call = heldCall(CallOptions.DEFAULT);
    service.publish("cup", "2:1");
    assertThat(call.get()).isEqualTo("2:1");
    assertThat(polls.pending()).isZero();
  }

  @Test
  void cancelledCall_isNotHeld() throws Exception {
    ListenableFuture<String> call = heldCall(CallOptions.DEFAULT);
    call.cancel(true);
    awaitPending(0);
  }

  @Test
  void deadlineOfTheClient_endsTheRequest() throws Exception {
    ListenableFuture<String> call =
        heldCall(CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS));
    assertThat(status(call)).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    awaitPending(0);
  }

  @Test
  void limitOfTheServer_endsTheCall() throws Exception {
    ListenableFuture<String> call = heldCall(CallOptions.DEFAULT);
    time.advance(Duration.ofSeconds(30));
    assertThat(status(call)).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(polls.pending()).isZero();
  }

  @Test
  void closedPurgatory_endsTheCall() throws Exception {
    ListenableFuture<String> call = heldCall(CallOptions.DEFAULT);
    polls.close();
    assertThat(status(call)).isEqualTo(Status.Code.UNAVAILABLE);
  }

  private ListenableFuture<String> heldCall(CallOptions options) throws InterruptedException {
    ListenableFuture<String> call =
        ClientCalls.futureUnaryCall(channel.newCall(PollService.POLL, options), "cup");
    awaitPending(1);
    return call;
  }

  private void awaitPending(int count) throws InterruptedException {
    while (polls.pending() != count) {
      Thread.sleep(1);
    }
  }

  private static Status.Code status(ListenableFuture<String> call) {
    ExecutionException failed = catchThrowableOfType(ExecutionException.class, call::get);
    return Status.fromThrowable(failed).getCode();
  }
}

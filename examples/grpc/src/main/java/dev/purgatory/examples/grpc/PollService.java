package dev.purgatory.examples.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Long polls over gRPC. Its messages are texts, so it needs no generated code. */
final class PollService implements BindableService {
  private static final Marshaller<String> TEXT =
      new Marshaller<>() {
        @Override
        public InputStream stream(String text) {
          return new ByteArrayInputStream(text.getBytes(UTF_8));
        }

        @Override
        public String parse(InputStream bytes) {
          try {
            return new String(bytes.readAllBytes(), UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  static final MethodDescriptor<String, String> POLL =
      MethodDescriptor.newBuilder(TEXT, TEXT)
          .setType(MethodType.UNARY)
          .setFullMethodName("News/Poll")
          .build();

  private final Map<String, String> news = new ConcurrentHashMap<>();
  private final Purgatory<String> polls;

  PollService(Purgatory<String> polls) {
    this.polls = polls;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder("News")
        .addMethod(POLL, ServerCalls.asyncUnaryCall(this::poll))
        .build();
  }

  // sample: grpc
  void poll(String topic, StreamObserver<String> client) {
    HeldFuture<String> poll =
        polls.until(() -> news.get(topic)).orTimeout(Duration.ofSeconds(30)).hold(topic);
    ((ServerCallStreamObserver<String>) client).setOnCancelHandler(() -> poll.cancel(true));
    var unused = poll.whenComplete((found, error) -> answer(client, found, error));
  }

  private static void answer(
      StreamObserver<String> client, String found, @Nullable Throwable error) {
    if (error == null) {
      client.onNext(found);
      client.onCompleted();
    } else if (error instanceof TimeoutException) {
      client.onError(Status.DEADLINE_EXCEEDED.asException());
    } else {
      client.onError(Status.UNAVAILABLE.asException()); // closed, or a limit
    }
  }

  // end

  void publish(String topic, String text) {
    news.put(topic, text);
    polls.signal(topic);
  }
}

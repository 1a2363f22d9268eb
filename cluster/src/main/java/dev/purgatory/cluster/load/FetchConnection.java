package dev.purgatory.cluster.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.clients.FetchSessionHandler.FetchRequestData;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.LogContext;

/** The state of a consumer's connection: its fetch session and its offsets. */
public final class FetchConnection {
  private static final short VERSION = ApiKeys.FETCH.latestVersion(false);
  private static final int MAX_BYTES = 1 << 20;
  private static final int NODE = 1;

  private final String id;
  private final Topic topic;
  private final Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
  private final FetchSessionHandler session = new FetchSessionHandler(new LogContext(), NODE);

  private RequestHeader header = header(0);
  private long sentNanos;

  /**
   * Creates a connection that has not read anything yet.
   *
   * @param id the id of the connection
   * @param topic the topic to read
   * @param first the first partition to read
   * @param count the number of consecutive partitions to read, wrapping around at the last
   */
  FetchConnection(String id, Topic topic, int first, int count) {
    this.id = id;
    this.topic = topic;
    for (int i = 0; i < count; i++) {
      offsets.put(new TopicPartition(topic.name(), (first + i) % topic.partitions()), 0L);
    }
  }

  private static RequestHeader header(int correlation) {
    return new RequestHeader(ApiKeys.FETCH, VERSION, "bench", correlation);
  }

  String id() {
    return id;
  }

  /**
   * Returns the time when the last request was created, shortly before it was sent, by {@link
   * System#nanoTime}.
   */
  long sentNanos() {
    return sentNanos;
  }

  /**
   * Returns the next request: for at least one byte, or an empty response after {@code maxWait}.
   */
  NetworkSend request(Duration maxWait) {
    FetchSessionHandler.Builder builder = session.newBuilder();
    offsets.forEach((partition, offset) -> builder.add(partition, position(offset)));
    FetchRequestData data = builder.build();
    FetchRequest request =
        FetchRequest.Builder.forConsumer(VERSION, (int) maxWait.toMillis(), 1, data.toSend())
            .metadata(data.metadata())
            .removed(data.toForget())
            .replaced(data.toReplace())
            .setMaxBytes(MAX_BYTES)
            .build(VERSION);
    header = header(header.correlationId() + 1);
    sentNanos = System.nanoTime();
    return new NetworkSend(id, request.toSend(header));
  }

  private FetchRequest.PartitionData position(long offset) {
    return new FetchRequest.PartitionData(
        topic.id(), offset, FetchRequest.INVALID_LOG_START_OFFSET, MAX_BYTES, Optional.empty());
  }

  /**
   * Reads the response to the last request.
   *
   * @throws IOException if the response is an error
   */
  void answer(ByteBuffer payload) throws IOException {
    FetchResponse response = (FetchResponse) AbstractResponse.parseResponse(payload, header);
    if (!session.handleResponse(response, VERSION)) {
      throw new IOException("a fetch was rejected: " + response.error());
    }
    response.responseData(session.sessionTopicNames(), VERSION).forEach(this::read);
  }

  private void read(TopicPartition partition, FetchResponseData.PartitionData data) {
    Errors.forCode(data.errorCode()).maybeThrow();
    for (RecordBatch batch : FetchResponse.recordsOrFail(data).batches()) {
      offsets.put(partition, batch.nextOffset());
    }
  }
}

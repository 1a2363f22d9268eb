package dev.purgatory.cluster.node;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;

/**
 * Remote storage in a folder that all nodes share. Brokers load this class from the jar of this
 * module. It uses only Kafka's API, so that any version can load it.
 */
public final class FolderStorage implements RemoteStorageManager {
  /** The name of the setting with the folder, which must exist. */
  public static final String FOLDER = "folder";

  private Path folder = Path.of("");

  /** Called by brokers. */
  public FolderStorage() {}

  @Override
  public void configure(Map<String, ?> settings) {
    folder = Path.of(String.valueOf(settings.get(FOLDER)));
  }

  private Path file(RemoteLogSegmentMetadata segment, Object part) {
    return folder.resolve(segment.remoteLogSegmentId().id() + "." + part);
  }

  @Override
  public Optional<CustomMetadata> copyLogSegmentData(
      RemoteLogSegmentMetadata segment, LogSegmentData data) throws RemoteStorageException {
    try {
      Files.copy(data.logSegment(), file(segment, "log"));
      Files.copy(data.offsetIndex(), file(segment, IndexType.OFFSET));
      Files.copy(data.timeIndex(), file(segment, IndexType.TIMESTAMP));
      Files.copy(data.producerSnapshotIndex(), file(segment, IndexType.PRODUCER_SNAPSHOT));
      if (data.transactionIndex().isPresent()) {
        Files.copy(data.transactionIndex().get(), file(segment, IndexType.TRANSACTION));
      }
      byte[] epochs = new byte[data.leaderEpochIndex().remaining()];
      data.leaderEpochIndex().duplicate().get(epochs);
      Files.write(file(segment, IndexType.LEADER_EPOCH), epochs);
      return Optional.empty();
    } catch (IOException e) {
      throw new RemoteStorageException(e);
    }
  }

  @Override
  public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start)
      throws RemoteStorageException {
    return fetchLogSegment(segment, start, Integer.MAX_VALUE - 1);
  }

  @Override
  public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start, int end)
      throws RemoteStorageException {
    try (InputStream file = Files.newInputStream(file(segment, "log"))) {
      file.skipNBytes(start);
      return new ByteArrayInputStream(file.readNBytes(end - start + 1));
    } catch (IOException e) {
      throw new RemoteStorageException(e);
    }
  }

  @Override
  public InputStream fetchIndex(RemoteLogSegmentMetadata segment, IndexType type)
      throws RemoteStorageException {
    try {
      return Files.newInputStream(file(segment, type));
    } catch (IOException e) {
      throw new RemoteResourceNotFoundException(e);
    }
  }

  @Override
  public void deleteLogSegmentData(RemoteLogSegmentMetadata segment) throws RemoteStorageException {
    try {
      Files.deleteIfExists(file(segment, "log"));
      for (IndexType type : IndexType.values()) {
        Files.deleteIfExists(file(segment, type));
      }
    } catch (IOException e) {
      throw new RemoteStorageException(e);
    }
  }

  @Override
  public void close() {}
}

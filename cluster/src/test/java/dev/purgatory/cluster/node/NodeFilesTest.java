package dev.purgatory.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeFilesTest {
  @TempDir private Path folder;

  private NodeConfig config(Map<String, String> more) {
    List<String> voters = List.of(NodeConfig.voter(1, 20001), NodeConfig.voter(2, 20002));
    return new NodeConfig(2, 10002, 20002, voters, folder.resolve("node-2"), more);
  }

  private static NodeFiles files(NodeConfig config) {
    return new NodeFiles(config, System.getProperty("java.class.path"));
  }

  private static Properties read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    return properties;
  }

  @Test
  void writesTheSettingsOfABrokerAndController() throws IOException {
    NodeFiles files = files(config(Map.of("min.insync.replicas", "2")));
    files.write(Uuid.randomUuid().toString());
    assertThat(read(files.serverProperties()))
        .containsEntry("node.id", "2")
        .containsEntry("process.roles", "broker,controller")
        .containsEntry("listeners", "PLAINTEXT://127.0.0.1:10002,CONTROLLER://127.0.0.1:20002")
        .containsEntry("controller.quorum.voters", "1@127.0.0.1:20001,2@127.0.0.1:20002")
        .containsEntry("min.insync.replicas", "2");
  }

  @Test
  void formatsTheDataFolderOnlyOnce() throws IOException {
    NodeConfig config = config(Map.of());
    String first = Uuid.randomUuid().toString();
    files(config).write(first);
    files(config).write(Uuid.randomUuid().toString());
    assertThat(read(config.data().resolve("meta.properties")))
        .containsEntry("cluster.id", first)
        .containsEntry("node.id", "2");
  }

  @Test
  void failsIfKafkaRejectsASetting() {
    NodeFiles files = files(config(Map.of("log.segment.bytes", "many")));
    assertThatThrownBy(() -> files.write(Uuid.randomUuid().toString()))
        .isInstanceOf(NodeFailure.class)
        .hasMessageContaining("log.segment.bytes");
  }
}

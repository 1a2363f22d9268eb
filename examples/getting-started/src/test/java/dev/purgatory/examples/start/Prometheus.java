package dev.purgatory.examples.start;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A real Prometheus server, and its HTTP API. */
final class Prometheus implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final Process process;
  private final String address;

  /** Starts a server with a configuration, and keeps its data and its log in a folder. */
  Prometheus(Path program, Path configuration, Path folder) throws IOException {
    address = "127.0.0.1:" + freePort();
    process =
        new ProcessBuilder(
                program.toString(),
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=" + address)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * Finds a program of Prometheus: beside the one that the property {@code prometheus} names, or on
   * the path.
   */
  static Optional<Path> find(String name) {
    String given = System.getProperty("prometheus", "");
    if (!given.isEmpty()) {
      Path program = Path.of(given).toAbsolutePath().resolveSibling(name);
      if (!Files.isExecutable(program)) {
        throw new IllegalArgumentException("-Dprometheus: there is no " + program);
      }
      return Optional.of(program);
    }
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  boolean isReady() throws InterruptedException {
    if (!process.isAlive()) {
      throw new IllegalStateException("Prometheus ended with status " + process.exitValue());
    }
    try {
      return send("/-/ready").statusCode() == 200;
    } catch (IOException e) {
      return false; // it does not listen yet
    }
  }

  /** Evaluates an expression now, and returns its series with their values. */
  JsonNode query(String expression) throws IOException, InterruptedException {
    return get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8)).get("result");
  }

  /** Returns the values that a label has in some series. */
  List<String> valuesOf(String label, String series) throws IOException, InterruptedException {
    JsonNode values = get("/api/v1/label/" + label + "/values?match%5B%5D=" + series);
    return StreamSupport.stream(values.spliterator(), false).map(JsonNode::asText).toList();
  }

  /** Returns the alerts that are pending or firing. */
  JsonNode alerts() throws IOException, InterruptedException {
    return get("/api/v1/alerts").get("alerts");
  }

  /** Returns the rules, with the health of their last evaluation. */
  JsonNode rules() throws IOException, InterruptedException {
    return get("/api/v1/rules").get("groups").findPath("rules");
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = send(path);
    JsonNode answer = json.readTree(response.body());
    if (response.statusCode() != 200 || !answer.get("status").asText().equals("success")) {
      throw new IOException(path + ": " + response.body());
    }
    return answer.get("data");
  }

  private HttpResponse<String> send(String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(Duration.ofSeconds(30))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

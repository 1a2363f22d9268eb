package dev.purgatory.examples.spring;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Holds many connections on the loopback interface, and wakes them by one POST: how much heap each
 * takes, and how long it takes until its response arrives. Arguments: the number of connections,
 * 10,000 by default, and the number of rounds. Prints one JSON object for each run.
 */
final class LoadTest {
  private static final int WAKE_UPS = 5;

  private final int connections;

  private LoadTest(int connections) {
    this.connections = connections;
  }

  public static void main(String... args) throws Exception {
    LoadTest test = new LoadTest(args.length > 0 ? Integer.parseInt(args[0]) : 10_000);
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    for (int round = 0; round < rounds; round++) {
      test.run("tomcat", "purgatory", "servlet", "/topics/");
      test.run("tomcat", "by hand", "servlet", "/by-hand/");
      test.run("netty", "purgatory", "reactive", "/topics/");
    }
  }

  private void run(String server, String implementation, String type, String path)
      throws Exception {
    Process process = start(type);
    try (BufferedReader output = process.inputReader()) {
      int port = (int) number(output, "port ");
      wakeUps(port, path + "warm"); // loads and compiles the code
      long empty = used(process, output);
      try (Connections all = new Connections(port)) {
        all.open(connections);
        all.send(path + "first/messages?maxWait=1s");
        all.responses(System.nanoTime());
        long idle = used(process, output);
        all.send(path + "held/messages?maxWait=60s");
        long held = used(process, output);
        wakeUp(port, all, path + "held");
        Histogram nanos = wakeUps(port, all, path + "t");
        print(server, implementation, idle - empty, held - empty, nanos);
      }
    } finally {
      process.destroy();
      process.waitFor();
    }
  }

  private void print(String server, String implementation, long idle, long held, Histogram nanos) {
    System.out.printf(
        Locale.ROOT,
        "{\"server\": \"%s\", \"implementation\": \"%s\", \"connections\": %d,"
            + " \"idleBytes\": %d, \"heldBytes\": %d, \"p50Millis\": %.1f, \"p99Millis\": %.1f,"
            + " \"maxMillis\": %.1f}%n",
        server,
        implementation,
        connections,
        idle / connections,
        held / connections,
        nanos.getValueAtPercentile(50) / 1e6,
        nanos.getValueAtPercentile(99) / 1e6,
        nanos.getMaxValue() / 1e6);
  }

  private void wakeUps(int port, String topic) throws Exception {
    try (Connections all = new Connections(port)) {
      all.open(connections / 4);
      wakeUps(port, all, topic);
    }
  }

  private static Histogram wakeUps(int port, Connections all, String topic) throws Exception {
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < WAKE_UPS; i++) {
      all.send(topic + i + "/messages?maxWait=60s");
      nanos.add(wakeUp(port, all, topic + i));
    }
    return nanos;
  }

  private static Histogram wakeUp(int port, Connections all, String topic) throws Exception {
    Thread.sleep(1500); // until the server holds all requests
    HttpRequest post =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + topic + "/messages"))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("hello"))
            .build();
    long start = System.nanoTime();
    var posted = HttpClient.newHttpClient().sendAsync(post, BodyHandlers.discarding());
    Histogram nanos = all.responses(start);
    posted.join();
    return nanos;
  }

  private static Process start(String type) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-Xmx2g", "-XX:+UseG1GC", "-cp", System.getProperty("java.class.path")));
    command.add(LoadTestServer.class.getName());
    command.addAll(
        List.of(
            "--server.port=0",
            "--spring.main.web-application-type=" + type,
            "--server.tomcat.max-connections=20000",
            "--logging.level.root=warn",
            "--spring.main.banner-mode=off"));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static long used(Process process, BufferedReader output)
      throws IOException, InterruptedException {
    Thread.sleep(3000); // until the server has handled what was sent
    process.getOutputStream().write("\n".getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    return number(output, "used ");
  }

  private static long number(BufferedReader output, String prefix) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(prefix)) {
        return Long.parseLong(line.substring(prefix.length()));
      }
    }
    throw new IOException("the server has ended");
  }
}

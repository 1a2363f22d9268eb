package dev.purgatory.examples.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The server of a page, in a process of its own, at a free port. */
final class Program implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final String address;

  /** Starts {@code java} with these words in a folder, and waits for the address that it prints. */
  Program(Path folder, String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of(java(), "-Dport=0"));
    command.addAll(List.of(words));
    process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = firstLine(process);
    if (printed == null || !printed.startsWith("http://localhost:")) {
      process.destroyForcibly();
      throw new IOException("it printed no address: " + printed);
    }
    address = printed;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  @SuppressWarnings("resource") // closed with the process
  private static String firstLine(Process process) throws IOException {
    return new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  /** Returns the host and port, as in a scrape configuration. */
  String target() {
    return URI.create(address).getAuthority();
  }

  /** Does what {@code curl [-d body] url} does, at this program's port. */
  CompletableFuture<String> curl(String command) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    URI url = URI.create(words.get(words.size() - 1));
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + url.getPath()));
    if (words.contains("-d")) {
      String body = words.get(words.indexOf("-d") + 1);
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return client
        .sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
        .thenApply(HttpResponse::body);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

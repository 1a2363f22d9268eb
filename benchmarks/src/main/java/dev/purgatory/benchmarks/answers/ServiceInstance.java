package dev.purgatory.benchmarks.answers;

import dev.purgatory.Replies;
import dev.purgatory.cluster.disturb.Disturbed;
import dev.purgatory.cluster.disturb.Gate;
import dev.purgatory.cluster.node.JvmProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An instance of the service in its own process, and the connection of all clients to it. A request
 * fails if the connection ends, and times out while the instance is paused or cut off.
 */
final class ServiceInstance implements Disturbed, AutoCloseable {

  /*
   * Requests are written by one thread, which opens a connection when there is none. Replies are read by one
   * thread for each connection. When that ends, it fails all requests, perhaps also some of the next
   * connection; clients must cope with failures anyway.
   */

  private final JvmProcess process;
  private final List<String> arguments;
  private final String name;
  private final Gate gate;
  private final Replies<Long, String> replies;
  private final AtomicLong requests = new AtomicLong();
  private final ExecutorService sender;

  /** Used by the sender only. */
  private @Nullable Socket socket;

  /** The records that ended processes have read, and that the current one has. */
  private long readBefore;

  private long readNow;

  /**
   * Describes an instance, without starting it.
   *
   * @param name the name in messages
   * @param process the process
   * @param arguments those of {@code java}
   * @param gate the gate in front of the port
   */
  ServiceInstance(String name, JvmProcess process, List<String> arguments, Gate gate) {
    this.name = name;
    this.process = process;
    this.arguments = List.copyOf(arguments);
    this.gate = gate;
    this.replies = Replies.builder(name, Long.class, String.class).build();
    this.sender =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Sends a request.
   *
   * @param request as {@link AnswerService} describes it
   * @param patience the time after which the future fails
   * @return the reply, without its number
   */
  CompletableFuture<String> ask(String request, Duration patience) {
    long number = requests.incrementAndGet();
    CompletableFuture<String> reply = replies.expect(number, patience);
    sender.execute(() -> send(number, request));
    return reply;
  }

  private void send(long number, String request) {
    try {
      Socket connected = socket;
      if (connected == null || connected.isClosed()) {
        connected = connect();
      }
      OutputStream out = connected.getOutputStream();
      out.write((number + " " + request + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      replies.fail(number, e);
    }
  }

  private Socket connect() throws IOException {
    Socket opened = new Socket(InetAddress.getLoopbackAddress(), gate.port());
    opened.setTcpNoDelay(true);
    socket = opened;
    Thread reader = new Thread(() -> read(opened), name + " replies");
    reader.setDaemon(true);
    reader.start();
    return opened;
  }

  private void read(Socket from) {
    try (from;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int space = line.indexOf(' ');
        replies.complete(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
      }
      replies.failAll(new IOException(name + " has disconnected"));
    } catch (IOException e) {
      replies.failAll(e);
    }
  }

  /** Asks how many records the instance has read. Ignores it if it does not answer. */
  CompletableFuture<Void> countRead() {
    return ask(AnswerService.READ, Duration.ofSeconds(1))
        .thenAccept(reply -> read(Long.parseLong(reply.split(" ", -1)[1])))
        .exceptionally(error -> null);
  }

  private synchronized void read(long records) {
    if (records < readNow) {
      readBefore += readNow; // a new process
    }
    readNow = records;
  }

  /** Returns how many records all processes of this instance have read, as of the last counts. */
  synchronized long recordsRead() {
    return readBefore + readNow;
  }

  @Override
  public String name() {
    return name;
  }

  /** Returns the process. */
  JvmProcess process() {
    return process;
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void start() {
    process.start(arguments);
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  @Override
  public void shut() {
    gate.shut();
  }

  @Override
  public void open() {
    gate.open();
  }

  @Override
  public void close() {
    process.retire();
    process.kill();
    sender.shutdownNow();
    replies.close();
  }
}

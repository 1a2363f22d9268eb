package dev.purgatory.cli;

import dev.purgatory.cluster.SingleBroker;
import dev.purgatory.cluster.node.BrokerFolder;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.node.WarningTail;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs one real broker for any client. */
@Command(
    name = "broker",
    description = {
      "Runs one Kafka broker with the drop-in for clients on this machine, until Ctrl-C.",
      "Topics are created on first use."
    })
final class BrokerCommand implements Callable<Integer> {
  private static final int MAX_PORT = 65535;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port on 127.0.0.1 that clients connect to.",
      showDefaultValue = Visibility.ALWAYS)
  private int port = 9092;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Keeps the data in this folder for the next start. Default: deletes the data at the end.")
  private @Nullable Path data;

  @Mixin private WatchOption watch = new WatchOption();

  /** For development of this command. */
  @Option(names = "--stock", description = "Runs stock Kafka.", hidden = true)
  private boolean stock;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    Arguments.checkRange(spec, "--port", port, 1, MAX_PORT);
    Optional<String> obstacle = Ports.obstacle(port);
    if (obstacle.isPresent()) {
      throw Arguments.wrong(spec, "cannot listen on port " + port + ": " + obstacle.get());
    }
    try (Cleanup cleanup = new Cleanup()) {
      if (data != null) {
        serve(cleanup, open(cleanup, data));
      } else {
        serveTemporarily(cleanup);
      }
    }
    return 0;
  }

  private Path open(Cleanup cleanup, Path folder) {
    try {
      return cleanup.add(BrokerFolder.open(folder)).path();
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, "--data: " + e.getMessage());
    }
  }

  private void serveTemporarily(Cleanup cleanup) throws InterruptedException {
    TemporaryFolder folder = cleanup.add(new TemporaryFolder("purgatory-broker-"));
    try {
      serve(cleanup, folder.path());
    } catch (NodeFailure e) {
      folder.keepFor(e);
      throw e;
    }
  }

  /** Never returns normally: the broker runs until this process ends. */
  private void serve(Cleanup cleanup, Path folder) throws InterruptedException {
    Home home = Home.current();
    String classPath = stock ? home.stockClassPath() : home.dropInClassPath();
    SingleBroker broker = cleanup.add(new SingleBroker(port, folder, classPath));
    greet(broker.start(!stock), broker);
    PrintWriter out = spec.commandLine().getOut();
    watch.serve(List.of(broker.node()), cleanup, out::println);
    out.flush();
    cleanup.add(new WarningTail(broker.log(), System.err::println)).start();
    broker.awaitEnd();
    throw new NodeFailure("the broker has ended unexpectedly", broker.log());
  }

  private void greet(String identity, SingleBroker broker) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(identity);
    out.println("Listening on " + broker.bootstrap() + " until Ctrl-C. Try in another terminal:");
    out.println("  echo hello | kcat -b " + broker.bootstrap() + " -t greetings -P");
    out.println("  kcat -b " + broker.bootstrap() + " -t greetings -C");
    out.println("Log: " + broker.log());
    out.flush();
  }
}

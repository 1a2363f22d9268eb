package dev.purgatory.cli;

import static java.lang.Double.parseDouble;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.cli.qualify.Rows;
import dev.purgatory.cli.qualify.Tools;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.probe.PurgatoryCounts;
import dev.purgatory.cluster.run.DemoPlan;
import dev.purgatory.cluster.run.DemoResult;
import dev.purgatory.cluster.run.DemoRun;
import dev.purgatory.cluster.run.FeaturesRun;
import dev.purgatory.cluster.run.RollingPlan;
import dev.purgatory.cluster.run.RollingRun;
import dev.purgatory.cluster.run.SoakPlan;
import dev.purgatory.cluster.run.SoakResult;
import dev.purgatory.cluster.run.SoakRun;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Finds out whether the drop-in fits a version of Kafka. */
@Command(
    name = "qualify",
    description = {
      "Finds out whether the drop-in is all right with a version of Kafka: signatures and linkage,"
          + " Kafka's own tests where they are published, and three nodes that use each kind of"
          + " request, lose a node, get the drop-in one after the other, and are disturbed.",
      "Exits with code 1 and the reason if it is not. Otherwise, writes a row for the page for"
          + " operators. Takes about twenty minutes."
    })
final class QualifyCommand implements Callable<Integer> {
  private static final Duration DEMO = Duration.ofSeconds(30);
  private static final Duration SOAK = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final int CONSUMERS = 20;

  /** Fetches that followers hold in each moment may count; a leak would leave thousands. */
  private static final long MAX_RETAINED = 100;

  @Parameters(
      paramLabel = "VERSION",
      description = "A version on Maven Central, such as 4.3.1, or the folder of a distribution.")
  private String version = "";

  @Option(names = "--no-row", description = "Writes no row.")
  private boolean noRow;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path libs = Path.of(version).resolve("libs");
    boolean isFolder = Files.isDirectory(libs);
    if (!isFolder && !version.matches("\\d+\\.\\d+\\.\\d+[^/]*")) {
      throw Arguments.wrong(
          spec, "neither a version, such as 4.3.1, nor a folder with libs: " + version);
    }
    List<String> row = qualify(isFolder ? libs.toAbsolutePath() : null);
    if (!noRow) {
      new Rows(Home.current().directory()).put(row);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(String.join(",", row));
    out.println("The drop-in is all right with Kafka " + row.get(0) + ".");
    out.flush();
    return 0;
  }

  /** Returns the row. Takes the broker's jars from a folder, or fetches those of the version. */
  private List<String> qualify(@Nullable Path libs) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Home home = Home.current();
    Path dropIn = home.dropIn();
    Environment environment =
        Environments.of("qualify", "./purgatory qualify " + version, home.directory());
    Path work = home.directory().resolve("cluster/target/qualify");
    Tools tools = new Tools(home.directory(), work.resolve(Path.of(version).getFileName()));

    say("The jars");
    Path lib = libs == null ? tools.fetchBroker(version) : libs;
    String stock = lib + File.separator + "*";
    String classPath = dropIn + File.pathSeparator + stock;

    say("Signatures and linkage");
    Properties linkage = tools.java("linkage", classPath, "dev.purgatory.kafka.Linkage");
    String name = linkage.getProperty("version");

    say("The purgatory alone");
    Path probes = tools.compile("dev/purgatory/kafka/versus/Probes.java", classPath);
    checkAlone(
        tools.java(
            "alone", classPath + File.pathSeparator + probes, "dev.purgatory.kafka.versus.Probes"));

    String tests = libs == null ? runTests(tools, dropIn) : "not run";

    say("Each kind of request");
    Map<String, Long> held =
        FeaturesRun.run(
            classPath,
            home.directory().resolve("cluster/target/purgatory-cluster.jar"),
            System.err::println);

    say("A killed node");
    DemoPlan demo = new DemoPlan(name, true, classPath, DEMO, CONSUMERS);
    DemoResult killed = DemoRun.run(demo, System.err::println, (nodes, cleanup) -> {});
    check(killed);

    say("Installation under load");
    SoakResult rolling =
        RollingRun.run(
            new RollingPlan(stock, classPath, true, PAUSE, CONSUMERS), System.err::println);
    check(rolling);

    say("A soak");
    long seed = System.nanoTime() & Integer.MAX_VALUE;
    System.err.println("Seed " + seed);
    SoakPlan plan = new SoakPlan(classPath, true, SOAK, CONSUMERS, seed);
    SoakResult soaked = SoakRun.run(plan, System.err::println);
    check(soaked);

    long messages =
        killed.clients().acknowledged()
            + rolling.clients().acknowledged()
            + soaked.clients().acknowledged();
    int disturbances = 1 + disturbances(rolling) + disturbances(soaked);
    return List.of(
        name,
        environment.date().substring(0, "2026-01-01".length()),
        environment.commit().replaceFirst("(\\p{XDigit}{8})\\p{XDigit}*", "$1"),
        new Version().getVersion()[0].replace("purgatory ", ""),
        Integer.toString(Runtime.version().feature()),
        linkage.getProperty("classes"),
        linkage.getProperty("uses"),
        tests,
        held.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining("; ")),
        Long.toString(messages),
        Integer.toString(disturbances),
        Long.toString(Duration.ofNanos(System.nanoTime() - start).toMinutes()));
  }

  private static int disturbances(SoakResult result) {
    return result.disturbances().values().stream().mapToInt(Integer::intValue).sum();
  }

  private static void say(String step) {
    System.err.println("== " + step);
  }

  private String runTests(Tools tools, Path dropIn) throws IOException, InterruptedException {
    say("Kafka's own tests without brokers");
    if (!tools.hasTests(version)) {
      return "not published";
    }
    String list = "kafka-" + version.replaceFirst("\\.\\d+$", "");
    boolean own = Files.exists(tools.home().resolve("kafka/src/test/kafka-tests/" + list + ".txt"));
    return tools.runTests(version, own ? list : "kafka-tests", dropIn);
  }

  private static void checkAlone(Properties alone) {
    if (!alone.getProperty("lostWakeUps").equals("0")) {
      throw new NodeFailure("wake-ups are lost: " + alone);
    }
    if (!alone.getProperty("reachable").equals("0")) {
      throw new NodeFailure("completed operations stay reachable: " + alone);
    }
    if (parseDouble(alone.getProperty("wakeUpsPerSecond", "0")) >= 1) {
      throw new NodeFailure("idle purgatories wake up: " + alone);
    }
    if (parseDouble(alone.getProperty("earliestNanos")) < 0) {
      throw new NodeFailure("operations expire early: " + alone);
    }
  }

  private static void check(DemoResult result) {
    PurgatoryCounts counts = result.nodes().purgatories();
    if (counts == null || counts.errors() > 0) {
      throw new NodeFailure("callbacks of operations failed");
    }
    if (result.clients().lost() > 0 || result.clients().duplicates() > 0) {
      throw new NodeFailure("messages were lost or duplicated when a node was killed");
    }
    if (result.retained() > MAX_RETAINED) {
      throw new NodeFailure(result.retained() + " completed operations stay reachable in brokers");
    }
  }

  private static void check(SoakResult result) {
    if (!result.isClean()) {
      throw new NodeFailure(result.verdict());
    }
  }
}

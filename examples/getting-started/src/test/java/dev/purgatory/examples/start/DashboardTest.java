package dev.purgatory.examples.start;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes the program of the page, and purgatories to which everything happens:
 * all expressions of the dashboard have values, and all alerts fire.
 */
@Timeout(180)
class DashboardTest {
  private static final Path MICROMETER = Page.ROOT.resolve("micrometer");
  private static final String MISSING =
      "NOT TESTED with a real Prometheus: none on the path; -Dprometheus=/path/to/prometheus";

  @TempDir private Path folder;

  @Test
  void rules_andTheirTests_areAcceptedByPromtool() throws Exception {
    Path promtool = program("promtool");
    Path rules = MICROMETER.resolve("prometheus");
    run(rules, promtool.toString(), "check", "config", "prometheus.yml");
    run(rules, promtool.toString(), "test", "rules", "alerts-test.yml");
  }

  @Test
  void dashboardHasValues_andAlertsFire() throws Exception {
    Path program = program("prometheus");
    try (Program page = startProgramOfThePage();
        Traffic traffic = new Traffic();
        Prometheus server =
            new Prometheus(program, configuration(page.target(), traffic.target()), folder)) {
      CompletableFuture<String> held = page.curl("curl http://localhost:8080/topics/held");
      while (!server.isReady() || server.query("purgatory_held_seconds_count").isEmpty()) {
        Thread.sleep(50); // before anything is counted, so that rates have a first value
      }
      traffic.hang();
      provoke(traffic, server);
      assertThat(held).isNotDone();
      assertThat(server.valuesOf("name", "purgatory_pending_requests"))
          .contains("readers", "busy", "stuck");
      for (JsonNode rule : server.rules()) {
        assertThat(rule.get("health").asText()).as(rule.toString()).isEqualTo("ok");
      }
    }
  }

  /** Ends requests until each expression of the dashboard had a value, and each alert fired. */
  private static void provoke(Traffic traffic, Prometheus server) throws Exception {
    Set<String> expressions = expressions();
    Set<String> alerts = names(server.rules());
    assertThat(expressions).hasSizeGreaterThan(10);
    assertThat(alerts).hasSizeGreaterThan(4);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!(expressions.isEmpty() && alerts.isEmpty()) && System.nanoTime() < end) {
      traffic.endRequests();
      for (String expression : List.copyOf(expressions)) {
        if (hasValue(expression, server.query(expression))) {
          expressions.remove(expression);
        }
      }
      alerts.removeAll(firing(server.alerts()));
      Thread.sleep(100);
    }
    assertThat(expressions).as("expressions without a value").isEmpty();
    assertThat(alerts).as("alerts that did not fire").isEmpty();
    assertThat(server.query("sum by (outcome) (purgatory_held_seconds_count) > 0")).hasSize(5);
    assertThat(server.query("sum by (reason) (purgatory_rejected_requests_total) > 0")).hasSize(2);
  }

  /** Returns the expressions of the dashboard, with values for the variables of Grafana. */
  private static Set<String> expressions() throws IOException {
    File dashboard = MICROMETER.resolve("grafana/purgatory.json").toFile();
    return new ObjectMapper()
        .readTree(dashboard).findValuesAsText("expr").stream()
            .map(each -> each.replace("$name", ".+").replace("$__rate_interval", "5s"))
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Entries of ended requests are removed soon, so zero is a value of those. */
  private static boolean hasValue(String expression, JsonNode series) {
    double least = expression.contains("retained") ? 0 : Double.MIN_VALUE;
    return elements(series).anyMatch(each -> each.at("/value/1").asDouble() >= least);
  }

  private static Set<String> names(JsonNode rules) {
    return elements(rules)
        .map(rule -> rule.get("name").asText())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> firing(JsonNode alerts) {
    return elements(alerts)
        .filter(alert -> alert.get("state").asText().equals("firing"))
        .peek(DashboardTest::assertThatItsTextIsComplete)
        .map(alert -> alert.at("/labels/alertname").asText())
        .collect(Collectors.toSet());
  }

  private static void assertThatItsTextIsComplete(JsonNode alert) {
    assertThat(alert.get("annotations").toString()).doesNotContain("<no value>", "error expanding");
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  /** Copies the configuration and the alerts, with other targets and without waiting. */
  private Path configuration(String... targets) throws IOException {
    String listed = Stream.of(targets).map(each -> '"' + each + '"').collect(joining(", "));
    copy("alerts.yml", Map.of("for: \\d+m", "for: 0s", "> 300$", "> 1"));
    return copy(
        "prometheus.yml",
        Map.of("\"host.docker.internal:8080\"", listed, "interval: 5s", "interval: 200ms"));
  }

  private Path copy(String file, Map<String, String> replacements) throws IOException {
    String text = Files.readString(MICROMETER.resolve("prometheus").resolve(file));
    for (Map.Entry<String, String> each : replacements.entrySet()) {
      Matcher found = Pattern.compile(each.getKey(), Pattern.MULTILINE).matcher(text);
      assertThat(found.find()).as(each.getKey()).isTrue();
      text = found.replaceAll(each.getValue());
    }
    return Files.writeString(folder.resolve(file), text);
  }

  private Program startProgramOfThePage() throws IOException {
    Page page = Page.read("project-with-metrics.md");
    page.createFiles(folder);
    String classPath = System.getProperty("java.class.path");
    Path classes = Files.createDirectory(folder.resolve("classes"));
    Path sources = folder.resolve("src/main/java/demo");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                classPath,
                "-d",
                classes.toString(),
                sources.resolve("Messages.java").toString(),
                sources.resolve("Server.java").toString());
    assertThat(failed).isZero();
    return new Program(folder, "-cp", classes + File.pathSeparator + classPath, "demo.Server");
  }

  private static Path program(String name) {
    Optional<Path> program = Prometheus.find(name);
    assumeTrue(program.isPresent(), MISSING);
    return program.orElseThrow();
  }

  private void run(Path directory, String... command) throws Exception {
    Path printed = folder.resolve("printed");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(printed)).isZero();
  }
}

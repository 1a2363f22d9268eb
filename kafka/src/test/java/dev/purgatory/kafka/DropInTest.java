package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class DropInTest {
  private static final String OURS = System.getProperty("purgatory.classes");
  private static final Path ROWS = Path.of("../docs/operators/qualified.csv");
  private static final Path PAGE = Path.of("../docs/operators/kafka-operators.md");
  private static final String TIMER_TASK = "org/apache/kafka/server/util/timer/TimerTask.class";

  @TempDir private Path folder;

  /** Returns the reason for which a broker with this class path does not start; may be empty. */
  private static String misfit(List<String> classPath) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath) {
      urls.add(new File(entry).toURI().toURL());
    }
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), platform)) {
      return DropIn.misfit(loader).orElse("");
    }
  }

  private static List<String> after(List<String> first, String version) {
    List<String> classPath = new ArrayList<>(first);
    classPath.addAll(KafkaRelease.classPath(version));
    return classPath;
  }

  /** Puts a copy of Kafka's class, one of whose methods has another name, into the folder. */
  private String changedTimerTask() throws IOException {
    Path copy = folder.resolve(TIMER_TASK);
    Files.createDirectories(copy.getParent());
    try (URLClassLoader kafka =
            new URLClassLoader(
                new URL[] {Path.of(KafkaRelease.classPath("4.3.1").get(0)).toUri().toURL()}, null);
        InputStream original = kafka.getResourceAsStream(TIMER_TASK)) {
      String bytes = new String(original.readAllBytes(), StandardCharsets.ISO_8859_1);
      assertThat(bytes).contains("isCancelled");
      Files.write(
          copy, bytes.replace("isCancelled", "wasCancelld").getBytes(StandardCharsets.ISO_8859_1));
    }
    return folder.toString();
  }

  @ParameterizedTest
  @FieldSource("dev.purgatory.kafka.KafkaRelease#VERSIONS")
  void supportedKafka_isAccepted(String version) throws Exception {
    assertThat(misfit(after(List.of(OURS), version))).isEmpty();
  }

  @Test
  void olderKafka_isRefusedWithTheNameOfTheClass() throws Exception {
    assertThat(misfit(after(List.of(OURS), "4.0.1")))
        .contains("purgatory.DelayedOperation of", "-4.0.1.jar", "without purgatory-kafka.jar");
  }

  @Test
  void kafkaWithoutTheClasses_isRefused() throws Exception {
    assertThat(misfit(List.of(OURS))).contains("has no org.apache.kafka.server.purgatory.");
  }

  @Test
  void patchedClass_isRefusedWithTheMember() throws Exception {
    assertThat(misfit(after(List.of(OURS, changedTimerTask()), "4.3.1")))
        .contains("org.apache.kafka.server.util.timer.TimerTask of", "wasCancelld()Z", "missing");
  }

  @Test
  void classBeforeTheDropIns_isRefused() throws Exception {
    assertThat(misfit(after(List.of(changedTimerTask(), OURS), "4.3.1")))
        .contains("another org.apache.kafka.server.util.timer.TimerTask comes first");
  }

  @Test
  void releasesWithARow_areTested_andNoOthers() throws Exception {
    for (String row : Files.readAllLines(ROWS).stream().skip(1).toList()) {
      String version = row.substring(0, row.indexOf(','));
      assertThat(version + "," + DropIn.row(version)).isEqualTo(row);
    }
    for (String version : List.of("4.1.0", "4.3.2", "4.3.1-SNAPSHOT", "8.1.0-ccs", "unknown", "")) {
      assertThat(DropIn.row(version)).isNull();
    }
  }

  @Test
  void mBeanShowsTheRowOfTheBrokersRelease() throws Exception {
    DropIn.announce();

    ObjectName name = new ObjectName("dev.purgatory:type=DropIn");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    assertThat(server.getAttribute(name, "Tested")).isEqualTo(true);
    assertThat(server.getAttribute(name, "Qualification")).isEqualTo(DropIn.row("4.3.1"));
    assertThat(server.getAttribute(name, "TestedKafkaVersions")).isEqualTo(versions());
  }

  private static String versions() throws IOException {
    return String.join(
        " ",
        Files.readAllLines(ROWS).stream().skip(1).map(row -> row.replaceAll(",.*", "")).toList());
  }

  /** Rows are made anew for each release of the library. */
  @Test
  void rowsAreThoseOfThisRelease() throws Exception {
    assumeThat(version()).doesNotEndWith("-SNAPSHOT");
    assertThat(Files.readAllLines(ROWS).stream().skip(1))
        .allSatisfy(row -> assertThat(row.split(",", -1)[3]).isEqualTo(version()));
  }

  /** The pages show the log line and the MBean as a broker prints them. */
  @Test
  void pagesShowTheVersionOfThisBuild() throws Exception {
    for (Path page : List.of(Path.of("README.md"), PAGE)) {
      assertThat(group("held by Purgatory (\\S+) in Kafka", page)).isEqualTo(version());
    }
    assertThat(group("\\d+,4\\.3\\.1,.*,true,…,(.+)", PAGE)).isEqualTo(version());
  }

  private static String version() throws IOException {
    return group(
        "<artifactId>purgatory-parent</artifactId>\\s*<version>(.+?)<", Path.of("pom.xml"));
  }

  private static String group(String regex, Path file) throws IOException {
    Matcher matcher = Pattern.compile(regex).matcher(Files.readString(file));
    assertThat(matcher.find()).as("%s in %s", regex, file).isTrue();
    return matcher.group(1);
  }
}

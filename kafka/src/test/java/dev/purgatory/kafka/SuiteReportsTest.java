package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.kafka.SuiteReports.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteReportsTest {
  private static final String REPORT =
      """
      <testsuite time="1,234.5">
        <testcase name="good" classname="a.B"/>
        <testcase name="flaky" classname="a.B"><flakyFailure/></testcase>
        <testcase name="bad" classname="a.B"><failure/><rerunFailure/></testcase>
        <testcase name="broken" classname="a.B"><error/></testcase>
        <testcase name="skipped" classname="a.B"><skipped/></testcase>
        <testcase name="good once" classname="a.B"/>
        <testcase name="good once" classname="a.B"><failure/></testcase>
      </testsuite>
      """;

  @TempDir private Path folder;

  @Test
  void readsTheVerdictOfEachTest() throws Exception {
    Files.writeString(folder.resolve("TEST-a.B.xml"), REPORT);
    SuiteReports reports = SuiteReports.read(folder, List.of("a.B"));
    assertThat(reports.testsOf("a.B"))
        .containsEntry("good", Verdict.PASSED)
        .containsEntry("flaky", Verdict.PASSED)
        .containsEntry("bad", Verdict.FAILED)
        .containsEntry("broken", Verdict.FAILED)
        .containsEntry("skipped", Verdict.SKIPPED)
        .containsEntry("good once", Verdict.FAILED);
    assertThat(reports.passed("a.B")).isEqualTo(2);
    assertThat(reports.seconds()).containsEntry("a.B", 1234.5);
  }

  @Test
  void missingTestCountsAsFailed() throws Exception {
    SuiteReports reports = SuiteReports.read(folder, List.of("a.B"));
    assertThat(reports.testsOf("a.B")).isEmpty();
    assertThat(reports.of("a.B", "good")).isEqualTo(Verdict.FAILED);
  }
}

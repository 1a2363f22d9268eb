package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** One command, to the reason why a request waits. */
@Timeout(120)
class WatchCommandTest {
  private static final Pattern ADDRESS = Pattern.compile("http://\\S+");

  @Test
  void page_saysWhatIsWrong_andWhyARequestWaits() throws Exception {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine().setOut(new PrintWriter(out));
    Thread command = new Thread(() -> commandLine.execute("watch", "--seconds", "3600"));
    command.start();
    try (PageSamples samples = new PageSamples(address(out))) {
      String sample = samples.await("\"title\":\"Nobody signals invoices\"");
      assertThat(sample).doesNotContain("Nobody signals orders", "Nobody signals returns");
      for (String topic : List.of("returns", "invoices")) { // in one sample all may have just ended
        assertThat(samples.await("waits on [" + topic + "]")).contains("Nobody signals invoices");
      }
    } finally {
      command.interrupt();
      command.join();
    }
  }

  private static URI address(StringWriter out) throws InterruptedException {
    Optional<String> found = Optional.empty();
    while (found.isEmpty()) {
      Thread.sleep(10);
      found = ADDRESS.matcher(out.toString()).results().map(MatchResult::group).findFirst();
    }
    return URI.create(found.get());
  }
}

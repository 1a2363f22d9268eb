package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Runs the jobs of a plan, one after the other: two at once would disturb each other. */
public final class Runner {
  private final Fork fork;
  private final Progress progress;
  private final Table table = new Table();

  /** Creates a runner. */
  public Runner(Fork fork, Progress progress) {
    this.fork = fork;
    this.progress = progress;
  }

  /**
   * Runs a plan.
   *
   * @return what was measured
   */
  public List<Row> run(Plan plan) throws IOException, InterruptedException {
    List<Job> jobs = plan.jobs();
    long start = System.nanoTime();
    for (int done = 0; done < jobs.size(); done++) {
      Job job = jobs.get(done);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      progress.advanced(done, jobs.size(), job.title(), left(jobs, done, elapsed));
      run(job);
    }
    progress.advanced(jobs.size(), jobs.size(), "", Duration.ZERO);
    return table.rows();
  }

  /** As much longer or shorter than expected as what is done has been. */
  private static Duration left(List<Job> jobs, int done, Duration elapsed) {
    Duration expected = expected(jobs.subList(done, jobs.size()));
    double factor =
        done == 0 ? 1 : elapsed.toMillis() / (double) expected(jobs.subList(0, done)).toMillis();
    return Duration.ofMillis((long) (expected.toMillis() * factor));
  }

  private static Duration expected(List<Job> jobs) {
    return jobs.stream().map(Job::expected).reduce(Duration.ZERO, Duration::plus);
  }

  private void run(Job job) throws IOException, InterruptedException {
    Fork.Outcome outcome = fork.run(job);
    outcome.notes().forEach(note -> progress.note(job.contender() + ": " + note));
    outcome.samples().forEach(sample -> table.add(job, sample));
    if (!outcome.failure().isEmpty()) {
      progress.note(job.title() + " " + outcome.lastBegun() + ": " + outcome.failure());
      String metric = "failed: " + outcome.failure();
      table.add(job, new Sample(outcome.lastBegun(), metric, "JVMs", false, 1));
    }
  }
}

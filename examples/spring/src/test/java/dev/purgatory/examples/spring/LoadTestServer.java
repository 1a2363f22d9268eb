package dev.purgatory.examples.spring;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The server of the load test, in a process of its own: prints its port, and then, for each line of
 * its input, how many bytes of its heap are used.
 */
final class LoadTestServer {

  private LoadTestServer() {}

  public static void main(String... args) {
    try (ConfigurableApplicationContext application =
            new SpringApplication(TopicsApplication.class, TopicsByHand.class).run(args);
        Scanner input = new Scanner(System.in, StandardCharsets.UTF_8)) {
      System.out.println(
          "port " + application.getEnvironment().getRequiredProperty("local.server.port"));
      while (input.hasNextLine()) {
        String unused = input.nextLine();
        System.out.println("used " + usedAfterCollection());
      }
    }
  }

  private static long usedAfterCollection() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}

package dev.purgatory.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Topics whose readers wait for messages without occupying a thread.
 *
 * <pre>
 *   curl -H 'Content-Type: text/plain' -d hello localhost:8080/topics/greetings/messages
 *   curl 'localhost:8080/topics/greetings/messages?after=1&amp;maxWait=10s'
 * </pre>
 */
@SpringBootApplication
public class TopicsApplication {

  /** Creates the configuration. */
  public TopicsApplication() {}

  /**
   * Runs the server until the process is killed.
   *
   * @param args properties, such as {@code --server.port=9090}
   */
  public static void main(String... args) {
    SpringApplication.run(TopicsApplication.class, args);
  }
}

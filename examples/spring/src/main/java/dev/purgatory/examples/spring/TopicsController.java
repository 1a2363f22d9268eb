package dev.purgatory.examples.spring;

import static org.springframework.format.annotation.DurationFormat.Style.SIMPLE;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Appends messages to topics, and returns those after a number, waiting for the first one. */
@RestController
@RequestMapping("/topics/{topic}/messages")
class TopicsController {
  static final Duration MOST = Duration.ofMinutes(1);

  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();

  // sample: spring-controller
  private final Purgatory<String> polls;

  TopicsController(Purgatory<String> polls) {
    this.polls = polls;
  }

  @GetMapping
  HeldFuture<List<String>> messages(
      @PathVariable String topic,
      @RequestParam(defaultValue = "0") int after,
      @RequestParam(defaultValue = "30s") @DurationFormat(style = SIMPLE) Duration maxWait) {
    check(after, maxWait);
    List<String> log = log(topic);
    return polls
        .until(() -> log.size() > after ? log.stream().skip(after).toList() : null)
        .orAfter(maxWait, List::of)
        .hold(topic);
  }

  @PostMapping
  void append(@PathVariable String topic, @RequestBody String message) {
    log(topic).add(message);
    polls.signal(topic);
  }

  // end

  private static void check(int after, Duration maxWait) {
    if (after < 0) {
      throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "after is negative");
    }
    if (maxWait.isNegative() || maxWait.compareTo(MOST) > 0) {
      throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "maxWait is not from 0s to 1m");
    }
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }
}

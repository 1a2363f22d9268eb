package dev.purgatory.examples.spring;

import static org.springframework.format.annotation.DurationFormat.Style.SIMPLE;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** The usual implementation: the results that wait, by topic, with the timeouts of the server. */
@RestController
@RequestMapping("/by-hand/{topic}/messages")
class TopicsByHand {

  private static final class Waiting extends DeferredResult<List<String>> {
    final int after;

    Waiting(int after, Duration maxWait) {
      super(maxWait.toMillis(), List.of());
      this.after = after;
    }
  }

  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();
  private final Map<String, Set<Waiting>> waiting = new ConcurrentHashMap<>();

  @GetMapping
  DeferredResult<List<String>> messages(
      @PathVariable String topic,
      @RequestParam(defaultValue = "0") int after,
      @RequestParam(defaultValue = "30s") @DurationFormat(style = SIMPLE) Duration maxWait) {
    Waiting result = new Waiting(after, maxWait);
    Set<Waiting> all = waiting.computeIfAbsent(topic, name -> ConcurrentHashMap.newKeySet());
    result.onCompletion(() -> all.remove(result));
    all.add(result);
    answer(topic, result); // a message may have come meanwhile
    return result;
  }

  @PostMapping
  void append(@PathVariable String topic, @RequestBody String message) {
    log(topic).add(message);
    waiting.getOrDefault(topic, Set.of()).forEach(result -> answer(topic, result));
  }

  private void answer(String topic, Waiting result) {
    List<String> log = log(topic);
    if (log.size() > result.after) {
      result.setResult(log.stream().skip(result.after).toList());
    }
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }
}

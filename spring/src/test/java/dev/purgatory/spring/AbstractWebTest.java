package dev.purgatory.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import io.micrometer.common.KeyValue;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.publisher.Mono;

/** What each server does with held requests, over real connections. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractWebTest {
  // JDK 17's client fails the open requests of an HTTP/2 connection when the server shuts down.
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String[] properties;
  private ConfigurableApplicationContext application;
  private Controller controller;
  private Purgatory<String> polls;
  private int port;

  AbstractWebTest(String... properties) {
    this.properties = properties;
  }

  @BeforeAll
  void start() {
    SpringApplication boot = new SpringApplication(Application.class);
    boot.setDefaultProperties(
        Map.of(
            "server.port", "0",
            "purgatory.instances.polls.max-requests", "2",
            "purgatory.instances.polls.diagnostics", "true",
            "purgatory.instances.polls.observations", "true",
            "spring.reactor.context-propagation", "auto",
            "management.endpoints.web.exposure.include", "purgatory",
            "management.endpoint.purgatory.show-values", "always"));
    application = boot.run(properties);
    controller = application.getBean(Controller.class);
    polls = controller.polls;
    port = application.getEnvironment().getRequiredProperty("local.server.port", int.class);
  }

  /** The web server shuts down gracefully: it would wait 30 s for this request. */
  @AfterAll
  void closing_answersHeldRequests(CapturedOutput output) {
    var response = sendAsync("future", 60);
    awaitPending(1);
    var blocked = mayBlock() ? sendAsync("blocking", 60) : response;
    awaitPending(mayBlock() ? 2 : 1);
    application.close();
    assertUnavailable(response.join());
    assertUnavailable(blocked.join());
    assertThat(requireNonNull(controller.last).outcome()).isEqualTo(Outcome.CLOSED);
    assertThat(output.getAll()).doesNotContain("PurgatoryClosedException");
  }

  /** Returns whether a controller may wait on its thread for long. */
  abstract boolean mayBlock();

  private static void assertUnavailable(HttpResponse<String> response) {
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().allValues("Retry-After")).containsExactly("1");
    assertThat(response.body()).contains("Service Unavailable");
  }

  void refusalsAndTimeouts_areUnavailable(String path, CapturedOutput output) throws Exception {
    assertUnavailable(send(get("/" + path + "/late?maxWait=PT0.01S")));
    Socket first = send("future", 60);
    awaitPending(1);
    Socket second = send("future", 60);
    awaitPending(2);
    assertUnavailable(sendAsync(path, 60).join());
    first.close();
    second.close();
    polls.cancelAll();
    assertThat(output.getAll()).doesNotContain("TimeoutException", "LimitExceededException");
  }

  @Test
  void otherTimeouts_areErrors(CapturedOutput output) {
    assertThat(send(get("/other")).statusCode()).isEqualTo(500);
    assertThat(output.getAll()).contains("TimeoutException");
  }

  @Test
  void handlersOfTheApplication_decideWhatItsClientsSee() {
    var response = send(get("/own/none?maxWait=PT0.01S"));
    assertThat(response.statusCode()).isEqualTo(504);
    assertThat(response.headers().firstValue("Retry-After")).isEmpty();
  }

  void signalAnswers(String path) throws Exception {
    HttpRequest request = get("/" + path + "/" + path + "?maxWait=PT60S");
    var response = sendAsync(request);
    awaitPending(1);
    controller.append(path, "hello");
    assertThat(response.join().body()).isEqualTo("[\"hello\"]");
    assertThat(polls.pending()).isZero();
  }

  @Test
  void heldRequest_isAnsweredAfterItsTimeLimit() {
    assertThat(sendAsync("mono", 0).join().body()).isEqualTo("[]");
  }

  @Test
  void endpoint_showsWhatIsHeldAndWhyOneStillWaits() {
    var response = sendAsync("future", 60);
    awaitPending(1);
    Map<?, ?> all = json("/actuator/purgatory");
    assertThat(all)
        .extracting("purgatories")
        .extracting("polls")
        .extracting("pending")
        .isEqualTo(1);

    Map<?, ?> one = json("/actuator/purgatory/polls");
    assertThat(one).extracting("numbers").extracting("keys").isEqualTo(1);
    assertThat(one)
        .extracting("busiestKeys")
        .isEqualTo(List.of(Map.of("key", "waits", "count", 1)));
    assertThat(one).extracting("missedSignals").isEqualTo(List.of());
    assertThat(one).extracting("findings").isEqualTo(List.of());
    List<?> oldest = (List<?>) requireNonNull(one.get("oldestRequests"));
    Map<?, ?> request = (Map<?, ?>) oldest.get(0);
    assertThat(request).extracting("keys").isEqualTo(List.of("waits"));
    assertThat(request.containsKey("tag")).isFalse();
    assertThat(Duration.parse((String) requireNonNull(request.get("timeLeft")))).isPositive();

    String path = "/actuator/purgatory/polls/" + request.get("id");
    assertThat(json(path))
        .extracting("explanation")
        .asString()
        .contains("waits on [waits]", "checks");
    assertThat(send(get("/actuator/purgatory/polls/0")).statusCode()).isEqualTo(404);
    assertThat(send(get("/actuator/purgatory/others")).statusCode()).isEqualTo(404);
    assertThat(send(delete(path)).statusCode()).isEqualTo(405);
    assertThat(response).isNotDone();

    controller.append("waits", "hello");
    assertThat(response.join().statusCode()).isEqualTo(200);
    controller.messages.clear();
    assertThat(send(get(path)).statusCode()).isEqualTo(404);
  }

  @Test
  void preferredWait_isTheTimeLimit() {
    var response = send(prefer("/news/none", "handling=lenient", "wait=0"));
    assertThat(response.statusCode()).isEqualTo(204);
    assertThat(response.headers().allValues("Preference-Applied")).containsExactly("wait=0");
    assertThat(response.headers().allValues("Vary")).contains("Prefer");
  }

  @Test
  void preferredWait_isHeldUntilASignal() throws Exception {
    var longest = sendAsync(prefer("/news/longest", "wait=86400"));
    awaitPending(1);
    var usual = sendAsync(get("/news/usual"));
    awaitPending(2);
    Map<Object, Object> left = new HashMap<>();
    for (Object each :
        (List<?>) requireNonNull(json("/actuator/purgatory/polls").get("oldestRequests"))) {
      Map<?, ?> request = (Map<?, ?>) each;
      left.put(
          ((List<?>) requireNonNull(request.get("keys"))).get(0),
          Duration.parse((String) requireNonNull(request.get("timeLeft"))));
    }
    assertThat((Duration) left.get("longest"))
        .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(5));
    assertThat((Duration) left.get("usual")).isLessThanOrEqualTo(Duration.ofSeconds(30));

    controller.append("longest", "hello");
    controller.append("usual", "hello");
    assertThat(longest.join().body()).isEqualTo("hello");
    assertThat(longest.join().headers().allValues("Preference-Applied"))
        .containsExactly("wait=300");
    assertThat(usual.join().statusCode()).isEqualTo(200);
    assertThat(usual.join().headers().firstValue("Preference-Applied")).isEmpty();
    assertThat(usual.join().headers().allValues("Vary")).contains("Prefer");
  }

  private HttpRequest prefer(String path, String... preferences) {
    HttpRequest.Builder request = HttpRequest.newBuilder(get(path).uri());
    for (String each : preferences) {
      request.header("Prefer", each);
    }
    return request.build();
  }

  @Test
  void heldRequest_isAChildOfTheObservationOfItsExchange() throws Exception {
    var response = sendAsync(get("/news/traced"));
    awaitPending(1);
    controller.append("traced", "hello");
    assertThat(response.join().statusCode()).isEqualTo(200);
    Observation.Context held = requireNonNull(application.getBean(Observed.class).last);
    assertThat(held.getLowCardinalityKeyValues())
        .contains(KeyValue.of("purgatory.outcome", "completed"));
    ObservationView parent = requireNonNull(held.getParentObservation());
    assertThat(parent.getContextView().getName()).isEqualTo("http.server.requests");
    assertThat(controller.lastSeen).isSameAs(parent); // at the signal, on this thread
  }

  @Test
  void timeOfTheExchange_includesTheTimeHeld() {
    MeterRegistry meters = application.getBean(MeterRegistry.class);
    var held = meters.get("purgatory.held").tag("outcome", "completed").timer();
    double before = held.totalTime(TimeUnit.NANOSECONDS);
    var response = sendAsync(get("/timed"));
    awaitPending(1);
    controller.append("timed", "hello");
    assertThat(response.join().statusCode()).isEqualTo(200);
    double heldFor = held.totalTime(TimeUnit.NANOSECONDS) - before;
    assertThat(heldFor).isPositive();
    await(() -> meters.find("http.server.requests").tag("uri", "/timed").timer() != null);
    assertThat(
            meters
                .get("http.server.requests")
                .tag("uri", "/timed")
                .timer()
                .totalTime(TimeUnit.NANOSECONDS))
        .isGreaterThan(heldFor);
  }

  private Map<?, ?> json(String path) {
    HttpResponse<String> response = send(get(path));
    assertThat(response.statusCode()).isEqualTo(200);
    return JsonParserFactory.getJsonParser().parseMap(response.body());
  }

  private HttpRequest delete(String path) {
    return HttpRequest.newBuilder(get(path).uri()).DELETE().build();
  }

  HttpResponse<String> send(HttpRequest request) {
    return sendAsync(request).join();
  }

  CompletableFuture<HttpResponse<String>> sendAsync(String path, int seconds) {
    return sendAsync(get(path(path, seconds)));
  }

  CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest request) {
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpRequest get(String path) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build();
  }

  static String path(String path, int seconds) {
    return "/" + path + "/waits?maxWait=PT" + seconds + "S";
  }

  Socket send(String path, int seconds) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    String request = "GET " + path(path, seconds) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  void awaitPending(long expected) {
    await(() -> polls.pending() == expected);
    assertThat(polls.pending()).isEqualTo(expected);
  }

  /** Waits until a request is held, which may have ended since. */
  void awaitHeldAfter(@Nullable HeldFuture<?> before) {
    await(() -> controller.last != before);
    assertThat(controller.last).isNotSameAs(before);
  }

  @Nullable HeldFuture<?> lastHeld() {
    return controller.last;
  }

  int callbacks() {
    return controller.callbacks.get();
  }

  void awaitEnd(Outcome outcome) {
    awaitPending(0);
    assertThat(requireNonNull(controller.last).outcome()).isEqualTo(outcome);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Controller.class, OwnAnswers.class, Observed.class})
  static class Application {

    // sample: spring-context
    @Bean
    PurgatoryCustomizer contextOfTheCaller() {
      ContextSnapshotFactory contexts = ContextSnapshotFactory.builder().build();
      return (name, builder) -> builder.context(() -> contexts.captureAll()::wrap);
    }
    // end
  }

  /** Keeps the last observation of a held request that was stopped. */
  static class Observed implements ObservationHandler<Observation.Context> {
    volatile Observation.@Nullable Context last;

    @Override
    public void onStop(Observation.Context context) {
      last = context;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return Objects.equals(context.getName(), "purgatory.request");
    }
  }

  @RestController
  static class Controller {
    private final Purgatory<String> polls;
    private final Map<String, String> messages = new ConcurrentHashMap<>();
    private final AtomicInteger callbacks = new AtomicInteger();

    private volatile @Nullable HeldFuture<?> last;
    private final ObservationRegistry observations;
    private volatile @Nullable Observation lastSeen;

    Controller(Purgatory<String> polls, ObservationRegistry observations) {
      this.polls = polls;
      this.observations = observations;
    }

    void append(String topic, String message) {
      messages.put(topic, message);
      polls.signal(topic);
    }

    private Hold<String, List<String>> until(String topic, Duration maxWait) {
      Hold.Untimed<String, List<String>> until =
          polls.until(() -> messages.containsKey(topic) ? List.of(messages.get(topic)) : null);
      return topic.equals("late") ? until.orTimeout(maxWait) : until.orAfter(maxWait, List::of);
    }

    private HeldFuture<List<String>> poll(String topic, Duration maxWait) {
      HeldFuture<List<String>> poll = until(topic, maxWait).hold(topic);
      last = poll;
      return poll;
    }

    @GetMapping("/now")
    String now() {
      return "now";
    }

    @GetMapping("/future/{topic}")
    HeldFuture<List<String>> future(@PathVariable String topic, @RequestParam Duration maxWait) {
      return poll(topic, maxWait);
    }

    // sample: spring-held-result
    @GetMapping("/result/{topic}")
    DeferredResult<List<String>> result(
        @PathVariable String topic, @RequestParam Duration maxWait) {
      return new HeldResult<>(poll(topic, maxWait));
    }

    // end

    @GetMapping("/callback/{topic}")
    DeferredResult<List<String>> callback(
        @PathVariable String topic, @RequestParam Duration maxWait) {
      HeldResult<List<String>> result = new HeldResult<>(poll(topic, maxWait));
      result.onCompletion(callbacks::incrementAndGet);
      return result;
    }

    // sample: spring-mono
    @GetMapping("/mono/{topic}")
    Mono<List<String>> mono(@PathVariable String topic, @RequestParam Duration maxWait) {
      return Mono.fromFuture(() -> poll(topic, maxWait));
    }

    // end

    private @Nullable ResponseEntity<String> answer(String topic) {
      lastSeen = observations.getCurrentObservation();
      return messages.containsKey(topic) ? ResponseEntity.ok(messages.get(topic)) : null;
    }

    // sample: spring-preferred-wait
    @GetMapping("/news/{topic}")
    HeldFuture<ResponseEntity<String>> news(
        @PathVariable String topic,
        @PreferredWait(value = "30s", max = "${news.max-wait:5m}") Duration wait) {
      return polls
          .until(() -> answer(topic)) // a response of 200, or null
          .orAfter(wait, () -> ResponseEntity.noContent().build())
          .hold(topic);
    }

    // end

    @GetMapping("/timed")
    HeldFuture<List<String>> timed() {
      return poll("timed", Duration.ofMinutes(1));
    }

    @GetMapping("/stage/{topic}")
    CompletableFuture<List<String>> stage(
        @PathVariable String topic, @RequestParam Duration maxWait) {
      return poll(topic, maxWait);
    }

    @GetMapping("/blocking/{topic}")
    List<String> blocking(@PathVariable String topic, @RequestParam Duration maxWait)
        throws Exception {
      return until(topic, maxWait).hold(topic).awaitAnswer();
    }

    @GetMapping("/other")
    CompletableFuture<String> other() {
      return new CompletableFuture<String>().orTimeout(1, TimeUnit.MILLISECONDS);
    }
  }

  @RestController
  static class OwnAnswers {
    private final Purgatory<String> polls;

    OwnAnswers(Purgatory<String> polls) {
      this.polls = polls;
    }

    @GetMapping("/own/{topic}")
    HeldFuture<String> own(@PathVariable String topic, @RequestParam Duration maxWait) {
      return polls.<String>untilCompleted().orTimeout(maxWait).hold(topic);
    }

    // sample: spring-errors
    @ExceptionHandler(TimeoutException.class)
    @ResponseStatus(HttpStatus.GATEWAY_TIMEOUT)
    void late() {}
    // end
  }
}

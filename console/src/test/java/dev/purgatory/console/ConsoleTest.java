package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ConsoleTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()).build();

  @AfterEach
  void close() {
    polls.close();
  }

  private HttpResponse<String> get(URI address) throws Exception {
    return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  /** Opens the stream and returns its first sample. */
  private Map<String, Object> sample(Console console) throws Exception {
    HttpResponse<InputStream> response =
        client.send(
            HttpRequest.newBuilder(console.address().resolve("/events")).build(),
            BodyHandlers.ofInputStream());
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (!line.startsWith("data: ")) {
        line = lines.readLine();
      }
      return JSON.std.mapFrom(line.substring("data: ".length()));
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> purgatory(Map<String, Object> sample, int program) {
    var programs = (List<Map<String, Object>>) requireNonNull(sample.get("programs"));
    Object purgatories = requireNonNull(programs.get(program).get("purgatories"));
    return ((List<Map<String, Object>>) purgatories).get(0);
  }

  @Test
  void samplesOfThePage_serveIt() throws Exception {
    try (Purgatory<String> replies =
        Purgatory.builder("replies", String.class).diagnostics(new Diagnostics()).build()) {
      int port;
      try (Console served = serve(polls, replies)) {
        port = served.address().getPort();
        assertThat(get(served.address()).statusCode()).isEqualTo(200);
      }
      try (Console served = serveWithKeys(polls, port)) {
        assertThat(served.address().getPort()).isEqualTo(port);
        assertThat(purgatory(sample(served), 0)).containsKeys("keys", "requests");
      }
      try (Console served = serveOther()) {
        assertThat(sample(served).toString()).contains("title=orders");
      }
    }
  }

  private static Console serve(Purgatory<?> polls, Purgatory<?> replies) {
    // sample: console
    Console console = Console.serve(polls, replies);
    // end
    return console;
  }

  private static Console serveWithKeys(Purgatory<?> polls, int port) {
    // sample: console-with-keys
    Console console = Console.builder().add(polls).showKeys().port(port).serve();
    // end
    return console;
  }

  private static Console serveOther() {
    // sample: console-of-another-program
    Console console = Console.builder().add("orders", () -> connectionToOrders()).serve();
    // end
    return console;
  }

  private static MBeanServerConnection connectionToOrders() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  @Test
  void sample_hasNumbers_andNoKeys() throws Exception {
    try (Console console = Console.serve(polls)) {
      assertThat(polls.untilCompleted().tag("secret-tag").forever().hold("secret-key")).isNotDone();
      Map<String, Object> sample = sample(console);
      assertThat(purgatory(sample, 0))
          .containsEntry("name", "polls")
          .containsEntry("pending", 1)
          .containsEntry("diagnosed", true)
          .doesNotContainKeys("keys", "requests");
      assertThat(sample.toString()).doesNotContain("secret");
    }
  }

  @Test
  void sample_hasKeysAndRequests_ifAllowed_evenIfTheyThrow() throws Exception {
    record Key(String name) {
      @Override
      public String toString() {
        if (name.equals("hostile")) {
          throw new IllegalStateException();
        }
        return name + "x".repeat(10_000);
      }
    }
    try (Purgatory<Key> hostile =
            Purgatory.builder("hostile", Key.class).diagnostics(new Diagnostics()).build();
        Console console = Console.builder().add(hostile).showKeys().serve()) {
      assertThat(hostile.untilCompleted().forever().hold(new Key("hostile"))).isNotDone();
      assertThat(hostile.untilCompleted().forever().hold(new Key("long"))).isNotDone();
      Map<String, Object> seen = purgatory(sample(console), 0);
      assertThat(String.valueOf(seen.get("keys")))
          .contains("(toString threw java.lang.IllegalStateException)")
          .contains("longxxx")
          .hasSizeLessThan(1_000);
      assertThat(String.valueOf(seen.get("requests"))).hasSizeLessThan(5_000);
    }
  }

  @Test
  void keys_thatHaveNoText_orFailWithErrors_doNotEndThePage() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    class Key {
      private final Supplier<@Nullable String> text;

      Key(Supplier<@Nullable String> text) {
        this.text = text;
      }

      @Override
      public int hashCode() {
        if (failing.get()) {
          throw new LinkageError("no hash code");
        }
        return System.identityHashCode(this);
      }

      @Override
      public boolean equals(@Nullable Object other) {
        return this == other;
      }

      @Override
      @SuppressWarnings("NullAway") // as a careless class
      public String toString() {
        return text.get();
      }
    }
    try (Purgatory<Key> hostile =
            Purgatory.builder("hostile", Key.class).diagnostics(new Diagnostics()).build();
        Console console = Console.builder().add(polls).add(hostile).showKeys().serve()) {
      for (Supplier<@Nullable String> text :
          List.<Supplier<@Nullable String>>of(
              () -> null,
              () -> {
                throw new AssertionError();
              },
              () -> "line\nbreak")) {
        assertThat(hostile.untilCompleted().forever().hold(new Key(text))).isNotDone();
        assertThat(hostile.signal(new Key(text))).isZero();
      }
      assertThat(polls.untilCompleted().forever().hold("a")).isNotDone();
      assertThat(sample(console).toString())
          .contains(
              "key=null", "key=(toString threw java.lang.AssertionError)", "line\\u000abreak");
      failing.set(true);
      Thread.sleep(1_000); // until the next sample
      String broken = sample(console).toString();
      assertThat(broken).contains("key=a", "Its keys cannot be read", "LinkageError: no hash code");
      failing.set(false);
    }
  }

  @Test
  void keys_whoseTextIsSlow_areNotAllRead() throws Exception {
    AtomicInteger read = new AtomicInteger();
    class Key {
      @Override
      public String toString() {
        read.incrementAndGet();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        return "slow";
      }
    }
    try (Purgatory<Key> slow =
            Purgatory.builder("slow", Key.class).diagnostics(new Diagnostics()).build();
        Console console = Console.builder().add(slow).showKeys().serve()) {
      for (int i = 0; i < 100; i++) {
        assertThat(slow.untilCompleted().forever().hold(new Key())).isNotDone();
      }
      assertThat(sample(console).toString())
          .contains("key=slow", "key=(not shown: texts of keys are slow)");
      assertThat(read).hasValueLessThan(20);
    }
  }

  @Test
  void explanation_ofARequestWithALongKey_isWhole() throws Exception {
    try (Console console = Console.builder().add(polls).showKeys().serve()) {
      String key = "k".repeat(500);
      assertThat(polls.until(() -> null).forever().hold(key)).isNotDone();
      assertThat(polls.signal(key, "append")).isZero();
      assertThat(purgatory(sample(console), 0).get("requests")).asString().contains("for append");
    }
  }

  @Test
  void keys_haveTheirLastCheck_andItsReason() throws Exception {
    try (Console console = Console.builder().add(polls).showKeys().serve()) {
      assertThat(polls.until(() -> null).forever().hold("a")).isNotDone();
      assertThat(polls.signal("a", "append")).isZero();
      assertThat(purgatory(sample(console), 0).get("keys"))
          .asString()
          .contains("reason=append", "checks=3")
          .containsPattern("checkedMillis=\\d");
    }
  }

  @Test
  void sample_hasSessionsAndThrottles() throws Exception {
    try (Timer timer = Timer.builder().start("clock");
        Purgatory<String> uploads =
            Purgatory.builder("uploads", String.class).timer(timer).build();
        Sessions<String, String> clients =
            new Sessions<>(timer, Duration.ofMinutes(10), end -> {})) {
      Throttles<String> quota = new Throttles<>(uploads, timer, Rate.perSecond(1));
      quota.charge("key", 1_000_000);
      assertThat(clients.open("client", "owner").isOpen()).isTrue();
      try (Console console = served(uploads, clients, quota).serve()) {
        assertThat(sample(console).toString())
            .contains("open=1")
            .contains("{title=quota, keys=1, waiting=null}");
      }
    }
  }

  private static Console.Builder served(
      Purgatory<String> uploads, Sessions<?, ?> clients, Throttles<?> quota) {
    // sample: console-of-sessions
    Console.Builder console =
        Console.builder().add(uploads).add("clients", clients).add("quota", quota);
    // end
    return console;
  }

  @Test
  void sample_hasTheMBeansOfAnotherJvm_orWhyNot() throws Exception {
    try (Purgatory<String> managed = Purgatory.builder("managed", String.class).mxBean().build();
        Console console =
            Console.builder()
                .add("other", ManagementFactory::getPlatformMBeanServer)
                .add(
                    "gone",
                    () -> {
                      throw new IOException("it has ended");
                    })
                .serve()) {
      assertThat(managed.untilCompleted().forever().hold("a")).isNotDone();
      Map<String, Object> sample = sample(console);
      assertThat(purgatory(sample, 0)).containsEntry("name", "managed").containsEntry("pending", 1);
      assertThat(sample.toString()).contains("obstacle=it has ended");
    }
  }

  @Test
  void sample_comesWithoutAJvmThatHangs_untilThatAnswers() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    try (Console console =
        Console.builder()
            .add(polls)
            .add(
                "hung",
                () -> {
                  answers.await();
                  return ManagementFactory.getPlatformMBeanServer();
                })
            .add("other", ManagementFactory::getPlatformMBeanServer)
            .serve()) {
      Map<String, Object> sample = sample(console);
      assertThat(purgatory(sample, 0)).containsEntry("name", "polls");
      assertThat(sample.toString())
          .contains("{title=hung, purgatories=[], obstacle=does not answer}")
          .contains("{title=other, purgatories=[], registries=");
      answers.countDown();
      String later = sample(console).toString();
      for (int i = 0; i < 50 && later.contains("obstacle"); i++) {
        Thread.sleep(100);
        later = sample(console).toString();
      }
      assertThat(later).contains("{title=hung, purgatories=[], registries=");
    } finally {
      answers.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/main.js", "/style.css"})
  void page_isSelfContained_andForItselfAlone(String path) throws Exception {
    try (Console console = Console.serve(polls)) {
      HttpResponse<String> response = get(console.address().resolve(path));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isNotBlank().doesNotContain("src=\"http", "import(\"http");
      assertThat(response.headers().firstValue("Content-Security-Policy"))
          .hasValueSatisfying(
              policy ->
                  assertThat(policy)
                      .contains("default-src 'none'", "frame-ancestors 'none'")
                      .doesNotContain("unsafe"));
      assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  /** With {@code HttpClient}, a request cannot have these headers. */
  private static String status(Console console, String... lines) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), console.address().getPort())) {
      String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .readLine()
          .replaceFirst("HTTP/1.1 (\\d+).*", "$1");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET /, 127.0.0.1:PORT, '', 200",
    "GET /, localhost:PORT, '', 200",
    "GET /main.js, 127.0.0.1:PORT, http://127.0.0.1:PORT, 200",
    "GET /main.js, 127.0.0.1:PORT, https://127.0.0.1:PORT, 200",
    "GET /main.js, 127.0.0.1:PORT, ftp://127.0.0.1:PORT, 403",
    "HEAD /, 127.0.0.1:PORT, '', 405",
    "GET /, evil.example:PORT, '', 403",
    "GET /, evil.example, '', 403",
    "GET /, 127.0.0.1:1, '', 403",
    "GET /events, 127.0.0.1:PORT, http://evil.example, 403",
    "GET /events, 127.0.0.1:PORT, null, 403",
    "GET /events, 127.0.0.1:PORT, http://localhost:PORT, 403",
    "POST /, 127.0.0.1:PORT, '', 405",
    "DELETE /events, 127.0.0.1:PORT, '', 405",
    "GET /story?id=1&purgatory=polls, 127.0.0.1:PORT, http://evil.example, 403",
    "GET /story?id=1&purgatory=polls, 127.0.0.1:PORT, '', 404",
    "GET /story, 127.0.0.1:PORT, '', 404",
    "GET /story?id=x&purgatory=polls, 127.0.0.1:PORT, '', 404",
    "GET /index.html, 127.0.0.1:PORT, '', 404",
    "GET /../pom.xml, 127.0.0.1:PORT, '', 404",
    "GET /main.js.map, 127.0.0.1:PORT, '', 404",
  })
  void request_isRefused_ifItIsNotForThisPage(
      String request, String host, String origin, String status) throws IOException {
    try (Console console = Console.serve(polls)) {
      String port = Integer.toString(console.address().getPort());
      List<String> lines = new ArrayList<>();
      lines.add(request + " HTTP/1.1");
      lines.add("Host: " + host.replace("PORT", port));
      if (!origin.isEmpty()) {
        lines.add("Origin: " + origin.replace("PORT", port));
      }
      assertThat(status(console, lines.toArray(new String[0]))).isEqualTo(status);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/, cross-site, 200",
    "/scenario, same-origin, 200",
    "/scenario, none, 200",
    "/scenario, cross-site, 403",
    "/events, cross-site, 403",
    "/events, same-site, 403",
    "/story?id=1&purgatory=polls, cross-site, 403",
  })
  void requestOfAnotherSite_isRefused_ifItIsNotForThePage(String path, String site, String status)
      throws IOException {
    try (Console console = Console.serve(polls)) {
      String host = "Host: 127.0.0.1:" + console.address().getPort();
      assertThat(status(console, "GET " + path + " HTTP/1.1", host, "Sec-Fetch-Site: " + site))
          .isEqualTo(status);
    }
  }

  @Test
  void anythingButLoopback_needsTheToken() throws Exception {
    InetAddress all = InetAddress.getByName("0.0.0.0");
    try (Console console = Console.builder().add(polls).host(all).serve()) {
      URI local = URI.create("http://127.0.0.1:" + console.address().getPort());
      String token = console.address().getQuery();
      assertThat(token).matches("token=[\\w-]{32}");
      for (String wrong :
          new String[] {
            "/",
            "/main.js",
            "/events",
            "/scenario",
            "/story?id=1&purgatory=polls",
            "/?token=x",
            "/?" + token + "x"
          }) {
        assertThat(get(local.resolve(wrong)).statusCode()).as(wrong).isEqualTo(401);
      }
      HttpResponse<String> admitted = get(local.resolve("/?" + token));
      assertThat(admitted.statusCode()).isEqualTo(303);
      assertThat(admitted.headers().firstValue("Location")).hasValue("./");
      String cookie = admitted.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie)
          .contains("HttpOnly", "SameSite=Strict")
          .doesNotContain("Path", "Secure"); // a proxy may serve it below a path, or with TLS
      HttpRequest encrypted =
          HttpRequest.newBuilder(local.resolve("/?" + token))
              .header("X-Forwarded-Proto", "https")
              .build();
      assertThat(
              client
                  .send(encrypted, BodyHandlers.ofString())
                  .headers()
                  .firstValue("Set-Cookie")
                  .orElseThrow())
          .endsWith("; Secure");
      String cookies = "other=1; " + cookie.substring(0, cookie.indexOf(';'));
      for (Map.Entry<String, Integer> each :
          Map.of("/", 200, "/main.js", 200, "/?" + token, 303, "/?" + token + "x", 401)
              .entrySet()) {
        HttpRequest page =
            HttpRequest.newBuilder(local.resolve(each.getKey())).header("Cookie", cookies).build();
        assertThat(client.send(page, BodyHandlers.ofString()).statusCode())
            .as(each.getKey())
            .isEqualTo(each.getValue());
      }
    }
  }

  @Test
  void loopbackOfIpVersion6_isWrittenAsBrowsersDo() throws Exception {
    InetAddress loopback =
        InetAddress.getByAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    Console console;
    try {
      console = Console.builder().add(polls).host(loopback).serve();
    } catch (UncheckedIOException e) {
      assumeTrue(false, "*** NOT TESTED: this machine has no IPv6 ***");
      return;
    }
    try (console) {
      assertThat(console.address().toString()).matches("http://\\[::1]:\\d+/");
      assertThat(get(console.address()).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void pages_areLimited_theOldestGivesWay_andAllEndWithTheConsole() throws Exception {
    List<InputStream> pages = new ArrayList<>();
    URI events;
    try (Console console = Console.serve(polls)) {
      events = console.address().resolve("/events");
      for (int i = 0; i < 9; i++) {
        var response =
            client.send(HttpRequest.newBuilder(events).build(), BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("X-Accel-Buffering")).hasValue("no");
        pages.add(response.body());
      }
      assertThat(new String(pages.remove(0).readAllBytes(), StandardCharsets.UTF_8))
          .contains("data: {")
          .endsWith("event: displaced\ndata: -\n\n");
      assertThat(sample(console)).as("another one").isNotEmpty();
    }
    for (InputStream page : pages) {
      byte[] rest;
      try {
        rest = page.readAllBytes();
      } catch (IOException e) {
        continue; // closed within a sample
      }
      assertThat(rest).isNotEmpty();
    }
    assertThatThrownBy(() -> get(events)).isInstanceOf(IOException.class);
    assertThat(polls.untilCompleted().orTimeout(Duration.ofMinutes(1)).hold("a"))
        .as("the purgatory stays open")
        .isNotDone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "0.0.0.0"})
  void clientsThatDoNotSendTheirRequest_keepNobodyOut(String host) throws Exception {
    List<Socket> halfOpen = new ArrayList<>();
    try (Console console = Console.builder().add(polls).host(InetAddress.getByName(host)).serve()) {
      for (int i = 0; i < 100; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), console.address().getPort());
        halfOpen.add(socket);
        socket
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost".getBytes(StandardCharsets.US_ASCII));
        if (i >= 20) {
          String address = "Host: 127.0.0.1:" + console.address().getPort();
          String path = host.equals("127.0.0.1") ? "/" : "/?" + console.address().getQuery();
          assertThat(status(console, "GET " + path + " HTTP/1.1", address)).matches("200|303");
        }
      }
    } finally {
      for (Socket each : halfOpen) {
        each.close();
      }
    }
  }

  @Test
  void clientsThatDoNotRead_keepNobodyOut() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (Purgatory<String> other = Purgatory.builder("n".repeat(1_000_000), String.class).build();
        Console console = Console.builder().add(other).periodMillis(1).serve()) {
      String host = "Host: 127.0.0.1:" + console.address().getPort();
      for (int i = 0; i < 40; i++) {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(1_024);
        socket.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), console.address().getPort()));
        silent.add(socket);
        socket
            .getOutputStream()
            .write(
                ("GET /events HTTP/1.1\r\n" + host + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(status(console, "GET / HTTP/1.1", host)).isEqualTo("200");
      }
      assertThat(sample(console)).isNotEmpty();
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  @Test
  void clientWaits_interruptTheOldest_andNoneAfterItsEnd() {
    ClientWaits waits = new ClientWaits(1);
    waits.begin();
    onAnotherThread(waits::begin);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    waits.end();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    onAnotherThread(waits::begin);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  private static void onAnotherThread(Runnable task) {
    CompletableFuture.runAsync(task, each -> new Thread(each).start()).join();
  }

  @Test
  void endedRequests_areNotKept_byThePage_norItsLastSample() throws Exception {
    try (Console console = Console.builder().add(polls).showKeys().serve()) {
      WeakReference<Object> ended = holdAndSample(console);
      for (int i = 0; i < 100 && ended.get() != null; i++) {
        System.gc();
        Thread.sleep(50);
      }
      assertThat(ended.get()).isNull();
    }
  }

  private WeakReference<Object> holdAndSample(Console console) throws Exception {
    Object tag = new Object();
    var held = polls.untilCompleted().tag(tag).forever().hold("a");
    assertThat(purgatory(sample(console), 0).get("requests")).asString().contains(tag.toString());
    assertThat(held.cancel(false)).isTrue();
    return new WeakReference<>(tag);
  }

  @Test
  void story_isTold_ifKeysAreShown_whileAPageIsOpen() throws Exception {
    record Hostile() {
      @Override
      public String toString() {
        throw new IllegalStateException();
      }
    }
    for (boolean showsKeys : List.of(true, false)) {
      Console.Builder builder = Console.builder().add(polls);
      List<HeldFuture<String>> held = new ArrayList<>();
      held.add(polls.<String>until(() -> null).forever().hold("a"));
      WeakReference<Object> ended = new WeakReference<>(held.get(0));
      int id = System.identityHashCode(held.get(0));
      URI story = URI.create("/story?id=" + id + "&purgatory=" + polls.name());
      try (Console console = (showsKeys ? builder.showKeys() : builder).serve()) {
        URI address = console.address().resolve(story);
        assertThat(get(address).statusCode()).as("no page is open").isEqualTo(404);
        try (InputStream page = console.address().resolve("/events").toURL().openStream()) {
          assertThat(page.readNBytes(30)).as("the beginning of a sample").hasSize(30);
          assertThat(get(address).statusCode()).isEqualTo(showsKeys ? 200 : 404);
          assertThat(polls.signal("a", new Hostile())).isZero();
          assertThat(held.remove(0).cancel(false)).isTrue();
          for (int i = 0; i < 100 && ended.get() != null; i++) {
            System.gc();
            Thread.sleep(50);
          }
          assertThat(ended.get()).as("it is not kept").isNull();
          if (showsKeys) {
            assertThat(get(address).body())
                .contains("(toString threw java.lang.IllegalStateException)", "CANCELLED");
          }
        }
        int status = get(address).statusCode();
        for (int i = 0; i < 600 && status != 404; i++) {
          Thread.sleep(50);
          status = get(address).statusCode();
        }
        assertThat(status).as("the page is closed").isEqualTo(404);
      }
    }
  }

  @Test
  void stories_areBounded() throws Exception {
    Sampler sampler =
        new Sampler(
            List.of(polls), new Registries(Map.of(), Map.of()), Map.of(), true, () -> 0, 1_000);
    List<HeldFuture<String>> held = new ArrayList<>();
    for (int i = 0; i < 21; i++) {
      held.add(polls.<String>until(() -> null).forever().hold("a"));
    }
    assertThat(sampler.sample()).isNotEmpty();
    for (HeldFuture<String> each : held) {
      assertThat(sampler.story("polls", System.identityHashCode(each))).isNotNull();
    }
    assertThat(polls.cancelForKey("a")).hasSize(21);
    for (int i = 20; i >= 0; i--) {
      byte[] story = sampler.story("polls", System.identityHashCode(held.get(i)));
      assertThat(story != null).as("story %d", i).isEqualTo(i > 0);
    }
    sampler.forget();
    assertThat(sampler.story("polls", System.identityHashCode(held.get(1)))).isNull();
  }

  /** Client quotas, as Kafka publishes them. */
  private record Quota(double waiting) implements DynamicMBean {
    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
      if (!attribute.equals("queue-size")) {
        throw new AttributeNotFoundException(attribute);
      }
      return waiting;
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
      return new AttributeList();
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
      throw new AttributeNotFoundException();
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
      return new AttributeList();
    }

    @Override
    public Object invoke(String name, Object[] parameters, String[] signature) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MBeanInfo getMBeanInfo() {
      return new MBeanInfo(Quota.class.getName(), null, null, null, null, null);
    }
  }

  @Test
  void brokers_haveTheLinesOfTheirQuotas() throws Exception {
    MBeanServer broker = MBeanServerFactory.newMBeanServer();
    broker.registerMBean(new Quota(3), new ObjectName("kafka.server:type=Fetch"));
    broker.registerMBean(new Quota(0), new ObjectName("kafka.server:type=Produce"));
    MBeanServer other = MBeanServerFactory.newMBeanServer();
    try (Console console =
        Console.builder().add("broker 1", () -> broker).add("other", () -> other).serve()) {
      assertThat(sample(console).toString())
          .contains("{title=broker 1: Fetch, keys=null, waiting=3}")
          .contains("{title=broker 1: Produce, keys=null, waiting=0}")
          .doesNotContain("other: ", "Request", "obstacle");
    }
  }

  @Test
  void badArguments_areRefused() {
    Diagnostics shared = new Diagnostics();
    try (Purgatory<String> one =
            Purgatory.builder("one", String.class).diagnostics(shared).build();
        Purgatory<String> two = Purgatory.builder("two", String.class).diagnostics(shared).build();
        Console console = Console.serve(one)) {
      assertThatThrownBy(() -> Console.serve(one, two))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("one and two share diagnostics: give each its own");
      assertThatThrownBy(() -> Console.serve(one, one))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("two purgatories are named one");
      Throttles<String> quota = new Throttles<>(one, one.timer(), Rate.unlimited());
      assertThatThrownBy(() -> Console.builder().add("quota", quota).add("quota", quota))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("two throttles are named quota");
      Callable<MBeanServer> jvm = ManagementFactory::getPlatformMBeanServer;
      assertThatThrownBy(() -> Console.builder().add("node", jvm).add("node", jvm))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("two JVMs are named node");
      assertThatThrownBy(() -> Console.builder().port(65_536))
          .isInstanceOf(IllegalArgumentException.class);
      int taken = console.address().getPort();
      assertThatThrownBy(() -> Console.builder().port(taken).serve())
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("the console cannot use port " + taken);
    }
  }
}

package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.results.Results;
import com.deque.html.axecore.selenium.AxeBuilder;
import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.Scope;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * Opens the page in Chromium. The property {@code console.screenshots} names a folder for pictures
 * of the views: those in the docs were made so.
 */
@Tag("long")
@Timeout(120)
class ConsolePageTest {
  /** For pictures with more than the first seconds. */
  private static final long PAUSE_MILLIS = Long.getLong("console.screenshots.pause", 0);

  private static final String PICTURES = System.getProperty("console.screenshots", "");

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  @TempDir private static Path profile;

  private static ChromeDriver browser;

  @BeforeAll
  static void open() {
    Optional<Path> chromium = find("chromium").or(() -> find("google-chrome"));
    Optional<Path> driver = find("chromedriver");
    assumeTrue(
        chromium.isPresent() && driver.isPresent(),
        "*** NOT TESTED: the page of the console in a browser. Install chromium and chromedriver. ***");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get().toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--hide-scrollbars", // of pictures
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + profile);
    browser =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(driver.get().toFile()).build(),
            options);
    browser.manage().window().setSize(new Dimension(1200, 1100));
  }

  private static Optional<Path> find(String name) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.quit();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    new WebDriverWait(browser, PATIENCE, BETWEEN_LOOKS)
        .ignoring(StaleElementReferenceException.class)
        .withMessage(what)
        .until(driver -> condition.getAsBoolean());
  }

  private static List<String> texts(String selector) {
    while (true) {
      try {
        return browser.findElements(By.cssSelector(selector)).stream()
            .map(WebElement::getText)
            .toList();
      } catch (StaleElementReferenceException e) {
        // The page has changed meanwhile.
      }
    }
  }

  /** Samples more often than users want; a picture has a sample each second. */
  private static Console.Builder console() {
    return Console.builder().periodMillis(PICTURES.isEmpty() ? 200 : 1_000);
  }

  private static String cell(String label) {
    return browser
        .findElement(By.cssSelector("#purgatories td[data-label='" + label + "']"))
        .getText();
  }

  private static List<String> cells(String label) {
    return texts("#purgatories td[data-label='" + label + "']");
  }

  private static void picture(String name) throws IOException {
    if (!PICTURES.isEmpty()) {
      ((JavascriptExecutor) browser).executeScript("document.activeElement.blur(); scrollTo(0, 0)");
      Files.write(Path.of(PICTURES, name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
    }
  }

  private static void pictureOf(String id, String name) throws IOException {
    if (!PICTURES.isEmpty()) {
      WebElement section =
          browser.findElement(By.id(id)).findElement(By.xpath("ancestor::section"));
      ((JavascriptExecutor) browser)
          .executeScript("document.activeElement.blur(); arguments[0].scrollIntoView()", section);
      Files.write(Path.of(PICTURES, name + ".png"), section.getScreenshotAs(OutputType.BYTES));
    }
  }

  /** A server whose clients poll topics. One topic is appended to without a signal. */
  private static final class Server implements AutoCloseable {
    private final Purgatory<String> polls;
    private final String topic;
    private final AtomicBoolean forgotten = new AtomicBoolean();
    private final Thread load = new Thread(this::run);

    Server() {
      this("polls", "orders", "quiet-");
    }

    Server(String name, String topic, String quietTopics) {
      this.topic = topic;
      polls = Purgatory.builder(name, String.class).diagnostics(new Diagnostics()).build();
      for (int i = 0; i < 30; i++) {
        HeldFuture<String> quiet =
            polls
                .<String>untilCompleted()
                .tag("client " + i)
                .orTimeout(Duration.ofMinutes(5 + i)) // the usual limit is that of the others
                .hold(quietTopics + i % 3);
        assertThat(quiet).isNotDone();
      }
      load.start();
    }

    private void run() {
      try {
        while (true) {
          AtomicBoolean appended = new AtomicBoolean();
          List<HeldFuture<String>> held = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            held.add(
                polls
                    .until(() -> appended.get() ? "message" : null)
                    .orAfter(Duration.ofMillis(200), () -> "none")
                    .hold(topic));
          }
          Thread.sleep(5 + System.nanoTime() % 40);
          appended.set(true);
          if (!forgotten.get()) {
            var unused = polls.signal(topic, "append"); // 0 if it comes after the limit
          }
          held.forEach(HeldFuture::join);
        }
      } catch (InterruptedException | CompletionException | PurgatoryClosedException e) {
        // This server was closed.
      }
    }

    @Override
    public void close() {
      load.interrupt();
      polls.close();
    }
  }

  @Test
  void page_showsWhatIsHeld_whatIsWrong_andWhy() throws Exception {
    Server server = new Server();
    List<Server> servers = new ArrayList<>(List.of(server));
    if (!PICTURES.isEmpty()) {
      servers.add(new Server("acks", "partition-3", "partition-1"));
      servers.add(new Server("replies", "call-17", "call-2"));
      servers.add(new Server("uploads", "client-5", "client-9"));
    }
    Console.Builder builder = console().showKeys();
    servers.forEach(each -> builder.add(each.polls));
    try (Console console = builder.serve()) {
      browserErrors(); // those of tests before
      browser.get(console.address().toString());
      await("rates", () -> cell("completed/s").matches("[1-9].*"));
      assertThat(Integer.parseInt(cell("pending"))).isBetween(30, 34);
      assertThat(texts(".finding")).as("nothing is wrong yet").isEmpty();
      assertThat(texts("#findings")).singleElement().asString().startsWith("Nothing is wrong");

      Thread.sleep(PAUSE_MILLIS);
      server.forgotten.set(true);
      await(
          "a finding", () -> texts(".finding h3").equals(List.of("polls: Nobody signals orders")));
      assertThat(texts(".finding a")).containsExactly("More");
      await("ends at the limit", () -> cell("timed out/s").matches("[1-9].*"));

      assertThat(texts("#keys tbody td:nth-child(4)"))
          .anyMatch(text -> text.matches(".* ago, check 2"));
      await("wake-ups", () -> texts("#wakeups caption").get(0).contains(" samples"));
      assertThat(texts("#keys tbody th")).contains("quiet-0", "quiet-1", "quiet-2");
      browser.findElement(By.id("search")).sendKeys("quiet-2");
      await("the search", () -> texts("#keys tbody th").equals(List.of("quiet-2")));
      browser.findElement(By.id("search")).clear();
      browser.findElement(By.id("search")).sendKeys(" \b");

      WebElement request = browser.findElement(By.cssSelector("#requests details"));
      assertThat(request.getText()).contains("on quiet-").contains("tag client ");
      request.findElement(By.tagName("summary")).click();
      assertThat(request.findElement(By.className("why")).getText())
          .contains("waits on [quiet-")
          .contains("checks, the last one");
      assertThat(request.getDomAttribute("data-json")).contains("\"purgatory\": \"polls\"");

      await("the heat map", () -> texts("#held figcaption").get(0).contains("requests ended"));
      await("the limit", () -> texts("#held figcaption").get(0).endsWith("time limit 200 ms"));
      Thread.sleep(PAUSE_MILLIS);
      picture("console");
      pictureOf("purgatories", "console-purgatories");
      pictureOf("findings", "console-findings");
      pictureOf("keys", "console-keys");
      pictureOf("held", "console-held");
      assertThat(browserErrors()).isEmpty();
    } finally {
      servers.forEach(Server::close);
    }
  }

  @Test
  void page_tellsTheStoryOfARequest_toItsEnd() throws Exception {
    AtomicReference<@Nullable String> message = new AtomicReference<>();
    try (Purgatory<String> polls =
            Purgatory.builder("orders & invoices", String.class)
                .diagnostics(new Diagnostics())
                .build();
        Console console = console().add(polls).showKeys().serve()) {
      var unused =
          polls
              .until(message::get)
              .inScope(Scope.of("connection 7"))
              .orTimeout(Duration.ofHours(1))
              .hold("orders");
      browser.get(console.address().toString());
      await("the request", () -> !texts("#requests summary").isEmpty());
      browser.findElement(By.cssSelector("#requests summary")).sendKeys(Keys.ENTER);
      await("the beginning", () -> story().size() == 3);
      assertThat(story().get(0)).isEqualTo("0 ms: held, for at most 1 h");
      assertThat(polls.signal("orders", "append")).isZero();
      assertThat(polls.signal("orders", "truncate")).isZero();
      await("what has happened", () -> story().size() == 5);
      assertThat(browser.findElement(By.cssSelector("#requests details")).getDomAttribute("open"))
          .isNotNull();
      message.set("hello");
      assertThat(polls.signal("orders", "commit")).isOne();
      await("the end", () -> story().size() == 7);
      String thread = Thread.currentThread().getName();
      assertThat(story().subList(3, 7).stream().map(each -> each.replaceFirst("^.*?: ", "")))
          .containsExactly(
              "not ready, for append, by " + thread,
              "not ready, for truncate, by " + thread,
              "ready, for commit, by " + thread,
              "ended: COMPLETED, answered by " + thread);
      assertThat(texts("#requests summary"))
          .singleElement()
          .asString()
          .matches(
              "orders & invoices: ended with COMPLETED after .*, on orders, in Scope\\[connection 7\\]");
      assertThat(violations()).isEmpty();
      pictureOf("requests", "console-request");
      Map<String, Object> copied = copied();
      assertThat(copied).containsEntry("purgatory", "orders & invoices");
      assertThat(String.valueOf(copied.get("story")))
          .contains("outcome=COMPLETED", "kind=HELD", "reason=append", "reason=truncate")
          .contains("kind=READY", "kind=ENDED");

      assertThat(polls.untilCompleted().forever().hold("another")).isNotDone();
      await("another request", () -> texts("#requests summary").size() == 2);
      assertThat(story()).as("it stays").hasSize(7);
    }
  }

  private static List<String> story() {
    return texts("#requests details[open] .story li");
  }

  /** Presses "Copy as JSON", and returns what is copied. */
  private static Map<String, Object> copied() throws IOException {
    ((JavascriptExecutor) browser)
        .executeScript(
            "navigator.clipboard.writeText = async text => { document.body.dataset.copied = text; }");
    browser.findElement(By.cssSelector("#requests details[open] button")).click();
    await("that it is copied", () -> texts("#requests button").contains("Copied"));
    return JSON.std.mapFrom(
        requireNonNull(browser.findElement(By.tagName("body")).getDomAttribute("data-copied")));
  }

  /** A signal takes a lock that the condition needs, and waits until another thread is done. */
  @Test
  void page_showsWhereAThreadWaits() throws Exception {
    Log log = new Log();
    try (Purgatory<String> polls =
            Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()).build();
        Console console = console().add(polls).showKeys().serve()) {
      HeldFuture<String> poll = polls.until(log::read).forever().hold("orders");
      Thread signals = new Thread(() -> assertThat(polls.signal("orders")).isOne(), "appender");
      log.lock.lock();
      try {
        log.appended.set(true);
        signals.start();
        browser.get(console.address().toString());
        await("the place", () -> texts("#wakeups tbody th").contains("condition"));
        assertThat(texts("#wakeups tbody td:nth-child(2)"))
            .singleElement()
            .asString()
            .startsWith("dev.purgatory.console.ConsolePageTest$Log.read")
            .contains("(ConsolePageTest.java:");
        assertThat(texts("#requests summary"))
            .singleElement()
            .asString()
            .matches("polls: held for .*s, no time limit, on orders");
        Thread.sleep(PAUSE_MILLIS);
        pictureOf("wakeups", "console-wakeups");
      } finally {
        log.lock.unlock();
      }
      signals.join();
      assertThat(poll).isCompletedWithValue("message");
    }
  }

  /** Clients are polled for by their number, as a long, and signalled as an int. */
  @Test
  void page_showsSignalsThatFindNobody_andSessionsAndThrottles() throws Exception {
    try (Timer timer = Timer.builder().start("clock");
        Purgatory<Object> uploads =
            Purgatory.builder("uploads", Object.class)
                .timer(timer)
                .diagnostics(new Diagnostics())
                .build();
        Sessions<String, String> clients = new Sessions<>(timer, Duration.ofHours(1), end -> {})) {
      Throttles<Object> quota = new Throttles<>(uploads, timer, Rate.perSecond(1));
      quota.charge("client 7", 1_000_000);
      assertThat(quota.acquire("client 7", 1)).isNotDone();
      assertThat(clients.open("client 7", "connection").isOpen()).isTrue();
      HeldFuture<String> poll = uploads.<String>until(() -> null).forever().hold(7L);
      try (Console console =
          console().add(uploads).add("clients", clients).add("quota", quota).showKeys().serve()) {
        browser.get(console.address().toString());
        await("the throttles", () -> !texts("#throttles tbody td").isEmpty());
        assertThat(texts("#throttles tbody tr")).containsExactly("quota 1 –");
        assertThat(texts("#sessions tbody tr")).containsExactly("clients 1");
        await(
            "a finding",
            () ->
                uploads.signal(7) == 0
                    && texts(".finding h3")
                        .equals(List.of("uploads: Signals do not find the requests on 7")));
        assertThat(texts("#keys caption").get(0)).contains(" found nobody: for 7");
        pictureOf("findings", "console-unequal");
        assertThat(uploads.signal(7L, "mended")).isZero();
        await(
            "the signal that found it",
            () -> texts("#keys td").stream().anyMatch(each -> each.endsWith(", answered none")));
        await("that it is mended", () -> texts(".finding").isEmpty());
        pictureOf("sessions", "console-registries");
        assertThat(violations()).isEmpty();
      }
      assertThat(poll).isNotDone();
    }
  }

  /** A log whose readers wait while another thread writes. */
  private static final class Log {
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean appended = new AtomicBoolean();

    @Nullable String read() {
      lock.lock();
      try {
        return appended.get() ? "message" : null;
      } finally {
        lock.unlock();
      }
    }
  }

  @Test
  void page_hidesKeysAndRequests_unlessAllowed() throws Exception {
    try (Server server = new Server();
        Console console = console().add(server.polls).serve()) {
      server.forgotten.set(true);
      browser.get(console.address().toString());
      await("a finding", () -> !texts(".finding").isEmpty());
      assertThat(browser.getPageSource()).doesNotContain("quiet", "orders", "client 1");
      assertThat(texts("#keys")).singleElement().asString().contains("are hidden");
    }
  }

  @Test
  void page_survivesARestart() throws Exception {
    int port;
    try (Server server = new Server();
        Console console = console().add(server.polls).serve()) {
      port = console.address().getPort();
      browser.get(console.address().toString());
      await("numbers", () -> !texts("#purgatories tbody th").isEmpty());
    }
    await("that it is gone", () -> texts("#status").get(0).contains("does not answer"));
    WebElement pause = browser.findElement(By.id("pause"));
    pause.click();
    assertThat(texts("#status").get(0)).contains("does not answer");
    try (Purgatory<String> other = Purgatory.builder("replies", String.class).build();
        Console again = console().port(port).add(other).serve()) {
      await("the restart", () -> texts("#status").equals(List.of("Paused")));
      pause.click();
      await("its numbers", () -> texts("#purgatories tbody th").equals(List.of("replies")));
      assertThat(again.address().getPort()).isEqualTo(port);
      assertThat(texts("#status").get(0)).startsWith("Live");
    }
  }

  @Test
  void page_saysThatNewerOnesHaveItsPlace_untilItIsLoadedAgain() throws Exception {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
        Console console = console().add(polls).serve()) {
      browser.get(console.address().toString());
      await("a sample", () -> texts("#status").get(0).startsWith("Live"));
      List<InputStream> others = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        others.add(console.address().resolve("/events").toURL().openStream());
      }
      await("that it is displaced", () -> texts("#status").get(0).contains("Reload this page"));
      browser.navigate().refresh();
      await("a sample", () -> texts("#status").get(0).startsWith("Live"));
      for (InputStream other : others) {
        other.close();
      }
    }
  }

  /** A browser opens at most six connections to a program. */
  @Test
  void pagesOfABrowser_shareAStream_andTheirTabsSayHowThingsAre() throws Exception {
    String first = browser.getWindowHandle();
    try (Server server = new Server();
        Console console = console().add(server.polls).serve()) {
      for (int i = 0; i < 8; i++) {
        if (i > 0) {
          browser.switchTo().newWindow(WindowType.TAB);
        }
        browser.get(console.address().toString());
        await("a sample", () -> texts("#status").get(0).startsWith("Live"));
      }
      assertThat(texts("#verdict")).containsExactly("Healthy");
      server.forgotten.set(true);
      browser.switchTo().window(first);
      await("the title", () -> "1 finding – Purgatory".equals(browser.getTitle()));
      assertThat(browser.findElement(By.id("icon")).getDomAttribute("href")).contains("c4500c");
      assertThat(texts("tr.found th")).containsExactly("polls\n1 finding");
    } finally {
      for (String window : browser.getWindowHandles()) {
        if (!window.equals(first)) {
          browser.switchTo().window(window).close();
        }
      }
      browser.switchTo().window(first);
    }
  }

  @Test
  void page_behindAProxyThatChangesTheHost_saysWhy() throws Exception {
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
        Console console = console().add(polls).serve()) {
      proxy.createContext("/", exchange -> pass(exchange, console.address()));
      proxy.start();
      browser.get("http://127.0.0.1:" + proxy.getAddress().getPort() + "/");
      await("the reason", () -> !texts("#refused").get(0).isEmpty());
      assertThat(texts("#refused").get(0)).contains("must pass on the Host");
      assertThat(browserErrors()).isNotEmpty();
    } finally {
      proxy.stop(0);
    }
  }

  /** Passes on a request as proxies do by default: with the Host of the program. */
  private static void pass(HttpExchange exchange, URI program) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(program.resolve(exchange.getRequestURI().getPath()));
    for (String name : List.of("Origin", "Sec-Fetch-Site")) {
      for (String each : exchange.getRequestHeaders().getOrDefault(name, List.of())) {
        request.header(name, each);
      }
    }
    HttpResponse<byte[]> response =
        HttpClient.newHttpClient()
            .sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
            .join();
    try (exchange) {
      response
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      exchange.sendResponseHeaders(response.statusCode(), response.body().length);
      exchange.getResponseBody().write(response.body());
    }
  }

  @Test
  void page_saysThatNoSampleComes() throws Exception {
    Log log = new Log();
    Object key =
        new Object() {
          @Override
          public String toString() {
            return "key" + log.read();
          }
        };
    try (Purgatory<Object> polls = Purgatory.builder("polls", Object.class).build();
        Console console = console().add(polls).showKeys().serve()) {
      assertThat(polls.untilCompleted().forever().hold(key)).isNotDone();
      browser.get(console.address().toString());
      await("a sample", () -> texts("#status").get(0).startsWith("Live"));
      log.lock.lock();
      try {
        await("that there is none", () -> texts("#status").get(0).contains("does not answer"));
      } finally {
        log.lock.unlock();
      }
      await("another one", () -> texts("#status").get(0).startsWith("Live"));
    }
  }

  @Test
  void requestWithoutAStory_isShownAsEnded_andCopiedByHand() throws Exception {
    try (Purgatory<String> polls =
            Purgatory.builder("polls", String.class).build(); // without diagnostics
        Console console = console().add(polls).showKeys().serve()) {
      HeldFuture<String> poll = polls.<String>untilCompleted().forever().hold("orders");
      browser.get(console.address().toString());
      await("the request", () -> !texts("#requests summary").isEmpty());
      browser.findElement(By.cssSelector("#requests summary")).sendKeys(Keys.ENTER);
      await("what is known", () -> texts("details[open] .why").toString().contains("nothing more"));
      assertThat(poll.complete("message")).isTrue();
      await("its end", () -> texts("#requests .why").equals(List.of("It has ended.")));
      assertThat(texts("#requests summary")).containsExactly("polls: ended, on orders");

      JavascriptExecutor page = browser;
      page.executeScript("Object.defineProperty(navigator, 'clipboard', {value: undefined})");
      browser.findElement(By.cssSelector("#requests button")).click();
      await("a text", () -> !texts("#requests textarea").isEmpty());
      String selected = (String) requireNonNull(page.executeScript("return getSelection() + ''"));
      assertThat(JSON.std.mapFrom(selected)).containsEntry("purgatory", "polls");
      assertThat(violations()).isEmpty();
    }
  }

  @Test
  void tooManyRequests_areCounted() {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
        Console console = console().add(polls).showKeys().serve()) {
      for (int i = 0; i < 10_001; i++) {
        assertThat(polls.untilCompleted().forever().hold("orders")).isNotDone();
      }
      browser.get(console.address().toString());
      await(
          "a note",
          () -> texts("#requests").equals(List.of("polls: too many requests (10,001) to list")));
    }
  }

  @Test
  void page_fitsAPhone_andPauses() throws Exception {
    browser.manage().window().setSize(new Dimension(500, 900));
    try (Server server = new Server();
        Console console = console().add(server.polls).showKeys().serve()) {
      browser.get(console.address().toString());
      await("numbers", () -> !texts("#keys tbody th").isEmpty());
      picture("console-phone");
      assertThat(fits()).isTrue();
      WebElement pause = browser.findElement(By.id("pause"));
      pause.sendKeys(" "); // with the keyboard
      assertThat(pause.getText()).isEqualTo("Resume");
      assertThat(texts("#status")).containsExactly("Paused");
      browser.findElement(By.linkText("Wheels")).click();
      await("the player", () -> !texts("#player-text h3").isEmpty());
      assertThat(fits()).isTrue();
    } finally {
      browser.manage().window().setSize(new Dimension(1200, 1100));
    }
  }

  private static String step() {
    return browser.findElement(By.cssSelector("#player-text h3")).getText();
  }

  /** Returns what the page shows after a step: the text, the rings, where the tasks are. */
  private static String shownStep() {
    return (String)
        requireNonNull(
            ((JavascriptExecutor) browser)
                .executeScript(
                    "return document.getElementById('player-text').innerText"
                        + " + document.getElementById('player-state').innerHTML"));
  }

  private static List<String> tasks() {
    return texts("#player-tasks tbody tr");
  }

  private static void press(CharSequence... keys) {
    new Actions(browser).sendKeys(keys).perform();
  }

  @Test
  void player_tellsTheProposal_forwardsAndBack() throws Exception {
    try (Purgatory<String> replies = Purgatory.builder("replies", String.class).build();
        Console console = console().add(replies).serve()) {
      browserErrors(); // those of tests before
      browser.get(console.address().toString());
      browser.findElement(By.linkText("Wheels")).click();
      await("the first step", () -> !texts("#player-text h3").isEmpty());
      assertThat(step()).isEqualTo("Step 1 of 19: A timer without tasks");
      List<String> forwards = new ArrayList<>();
      for (int i = 1; i <= 19; i++) {
        forwards.add(shownStep());
        assertThat(forwards.get(i - 1)).startsWith("Step " + i + " of 19: ");
        switch (i) {
          case 7 -> {
            assertThat(tasks())
                .containsExactly(
                    "A 1 ms level 1, bucket 1 ms",
                    "B 3 ms level 1, bucket 3 ms",
                    "C 9 ms level 2, bucket 8 to 11 ms",
                    "D 11 ms level 2, bucket 8 to 11 ms",
                    "E 14 ms level 2, bucket 12 to 15 ms",
                    "F 45 ms level 3, bucket 32 to 47 ms");
            pictureOf("player", "console-player");
          }
          case 13 ->
              assertThat(tasks())
                  .contains(
                      "C 9 ms level 2, bucket 8 to 11 ms", "D 11 ms level 2, bucket 8 to 11 ms");
          case 14 -> assertThat(tasks()).contains("D 11 ms level 2, bucket 8 to 11 ms");
          case 18 -> assertThat(tasks()).contains("F 45 ms level 3, bucket 32 to 47 ms");
          default -> {}
        }
        press(Keys.ARROW_RIGHT); // stays at the last step
      }
      assertThat(step()).isEqualTo("Step 19 of 19: The clock advances to 45 ms");
      assertThat(tasks())
          .containsExactly(
              "A 1 ms expired at 1 ms",
              "B 3 ms expired at 3 ms",
              "C 9 ms expired at 9 ms",
              "D 11 ms expired at 11 ms",
              "E 14 ms stopped at 0 ms",
              "F 45 ms expired at 45 ms",
              "G 0 ms expired at 0 ms",
              "H 12 ms expired at 12 ms");
      List<String> backwards = new ArrayList<>();
      for (int i = 19; i >= 1; i--) {
        backwards.add(0, shownStep());
        browser.findElement(By.id("player-back")).click();
      }
      assertThat(backwards).isEqualTo(forwards);
      assertThat(browserErrors()).isEmpty();
    }
  }

  @Test
  void player_playsAndStops_withTheSpaceBar_andSaysWhatItShows() {
    try (Purgatory<String> replies = Purgatory.builder("replies", String.class).build();
        Console console = console().add(replies).serve()) {
      browser.get(console.address() + "#wheels");
      await("the first step", () -> !texts("#player-text h3").isEmpty());
      press(" ");
      assertThat(texts("#player-play")).containsExactly("Stop");
      await("two steps", () -> step().startsWith("Step 3 "));
      press(" ");
      assertThat(texts("#player-play")).containsExactly("Play");
      browser.findElement(By.id("player-step")).sendKeys(Keys.END);
      assertThat(step()).startsWith("Step 19 of 19");
      browser.findElement(By.id("player-play")).sendKeys(" "); // a button has its own space bar
      assertThat(step()).as("begins anew").startsWith("Step 1 of 19");

      WebElement text = browser.findElement(By.id("player-text"));
      assertThat(text.getDomAttribute("aria-live")).isEqualTo("polite");
      assertThat(text.findElement(By.tagName("p")).getText()).startsWith("A wheel is a circular");
      for (WebElement each :
          browser.findElements(By.cssSelector("#player button, #player input, #player svg"))) {
        assertThat(each.getAccessibleName()).isNotEmpty();
      }
    }
  }

  @Test
  void rings_agreeWithWhatIsPending() throws Exception {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
        Console console = console().add(polls).serve()) {
      List<HeldFuture<String>> held = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        held.add(
            polls
                .<String>untilCompleted()
                .orTimeout(Duration.ofMinutes(1 + i * i))
                .hold("key-" + i % 7));
      }
      browser.get(console.address() + "#wheels");
      await("the rings", () -> pendingOnRings() == 200);
      assertThat(polls.pending()).isEqualTo(200);
      assertThat(texts("#rings caption").get(0))
          .startsWith("200 scheduled, 200 kept; the clock wakes up in ");
      assertThat(browser.findElements(By.cssSelector("#rings svg .next"))).isNotEmpty();
      picture("console-wheels");
      pictureOf("rings", "console-rings");

      for (HeldFuture<String> each : held.subList(0, 50)) {
        assertThat(each.cancel(false)).isTrue();
      }
      await("the ended ones", () -> texts("#rings caption").get(0).startsWith("150 scheduled"));
      assertThat(polls.pending()).isEqualTo(150);
      await("their rings, which are of another moment", () -> pendingOnRings() <= 151);
      assertThat(pendingOnRings() - 150).as("an alarm of the library, perhaps").isBetween(0, 1);
    }
  }

  private static int pendingOnRings() {
    return texts("#rings tbody td:nth-child(4)").stream().mapToInt(Integer::parseInt).sum();
  }

  @Test
  void rings_withoutAPurgatoryOfThisProgram_sayWhy() {
    try (Console console =
        console().add("other", ManagementFactory::getPlatformMBeanServer).serve()) {
      browser.get(console.address() + "#wheels");
      await("a note", () -> texts("#rings").get(0).startsWith("No purgatory of this program"));
    }
  }

  /** The same purgatory twice: as this program sees it, and as another one does. */
  @Test
  void numbers_agreeWithJmx() throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    try (Purgatory<String> polls =
            Purgatory.builder("polls", String.class)
                .diagnostics(new Diagnostics())
                .mxBean()
                .build();
        Console console = console().add(polls).add("by JMX", () -> beans).serve()) {
      ObjectName bean = beans.queryNames(new ObjectName("dev.purgatory:*"), null).iterator().next();
      browser.get(console.address().toString());
      for (int i = 1; i <= 3; i++) {
        for (int j = 0; j < 7 * i; j++) {
          assertThat(polls.untilCompleted().forever().hold("key-" + i)).isNotDone();
        }
        assertThat(polls.cancelForKey("key-" + (i - 1))).hasSize(7 * (i - 1));
        String pending = String.valueOf(beans.getAttribute(bean, "Pending"));
        assertThat(pending).isEqualTo(String.valueOf(7 * i));
        await("both", () -> cells("pending").equals(List.of(pending, pending)));
        assertThat(cells("errors"))
            .as("of its own, they are not counted")
            .containsExactly("–", "0");
        assertThat(fits()).isTrue();
        assertThat(texts("#findings").get(0)).contains("Nothing is wrong", "Not looked at: by JMX");
      }
    }
  }

  @Test
  void pageOfAnotherProgram_saysWhatIsNotKnown() throws Exception {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).mxBean().build();
        Console console =
            console().add("other", ManagementFactory::getPlatformMBeanServer).showKeys().serve()) {
      assertThat(polls.untilCompleted().forever().hold("orders")).isNotDone();
      browser.get(console.address().toString());
      await("numbers", () -> cells("pending").equals(List.of("1")));
      assertThat(texts("#findings"))
          .singleElement()
          .asString()
          .startsWith("Not looked at: other. Of another program, only numbers are known.");
      assertThat(texts("h2").stream().filter(each -> !each.isEmpty()))
          .containsExactly("Findings", "Purgatories");
      assertThat(violations()).isEmpty();
    }
  }

  private static boolean fits() {
    return Boolean.TRUE.equals(
        ((JavascriptExecutor) browser)
            .executeScript("return document.documentElement.scrollWidth <= window.innerWidth"));
  }

  @Test
  void page_isAccessible_inTheLightAndTheDark_onAPhone_andWithoutKeys() throws Exception {
    try (Server server = new Server()) {
      server.forgotten.set(true);
      for (boolean showsKeys : List.of(true, false)) {
        Console.Builder builder = console().add(server.polls);
        try (Console console = (showsKeys ? builder.showKeys() : builder).serve()) {
          browser.get(console.address().toString());
          await("a finding", () -> !texts(".finding").isEmpty());
          browser
              .findElements(By.cssSelector("#requests details:first-child summary"))
              .forEach(WebElement::click);
          assertThat(texts("details[open] .why")).hasSize(showsKeys ? 1 : 0);
          for (String scheme : List.of("light", "dark")) {
            for (int width : showsKeys ? List.of(500, 1200) : List.of(1200)) {
              emulate(scheme, width);
              assertThat(violations()).as("%s, %d pixels", scheme, width).isEmpty();
            }
          }
          if (showsKeys) {
            picture("console-dark");
          }
        }
      }
    } finally {
      emulate("light", 1200);
    }
  }

  private static void emulate(String scheme, int width) {
    browser.manage().window().setSize(new Dimension(width, 1100));
    Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", scheme);
    browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
    assertThat(browser.findElement(By.tagName("body")).getCssValue("background-color"))
        .isEqualTo(scheme.equals("dark") ? "rgba(20, 24, 29, 1)" : "rgba(255, 255, 255, 1)");
  }

  @SuppressWarnings("deprecation") // the page has no frames: so no second window for the results
  private static List<String> violations() {
    Results results = new AxeBuilder().setLegacyMode(true).analyze(browser);
    assertThat(results.getPasses()).hasSizeGreaterThan(10);
    return results.getViolations().stream()
        .map(rule -> rule.getId() + ": " + rule.getHelp() + " " + rule.getNodes())
        .toList();
  }

  @Test
  void page_isUsedWithTheKeyboard() throws Exception {
    try (Server server = new Server();
        Console console = console().add(server.polls).showKeys().serve()) {
      server.forgotten.set(true);
      browser.get(console.address().toString());
      await("all views", () -> !texts(".finding").isEmpty() && !texts("#keys td").isEmpty());
      List<String> visited = new ArrayList<>();
      for (int i = 0; i < 100 && !visited.contains("Copy as JSON"); i++) {
        browser.switchTo().activeElement().sendKeys(Keys.TAB);
        WebElement focused = browser.switchTo().activeElement();
        assertThat(focused.getCssValue("outline-style")).as("%s", visited).isEqualTo("solid");
        String text = focused.getText().lines().findFirst().orElse("");
        visited.add(text.isEmpty() ? focused.getDomAttribute("id") : text);
        if (text.equals("missed signals")) {
          focused.sendKeys(Keys.ENTER);
          await("the order", () -> texts("th[aria-sort=descending]").equals(List.of(text)));
          assertThat(browser.switchTo().activeElement()).isEqualTo(focused);
        } else if (focused.getTagName().equals("summary")) {
          focused.sendKeys(Keys.ENTER);
          await("the explanation", () -> !texts("details[open] .why").isEmpty());
        }
      }
      assertThat(visited)
          .containsSubsequence(
              "Pause",
              "More",
              "search",
              "waiters",
              "oldest",
              "last check",
              "last signal",
              "missed signals",
              "Copy as JSON");
    }
  }

  /** Returns what is new in the browser's log: errors of scripts, and what the policy blocked. */
  private static List<String> browserErrors() {
    return browser.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .filter(message -> !message.contains("favicon"))
        .toList();
  }
}

package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.Purgatory;
import dev.purgatory.base.Threads;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Throttles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * Serves a page that shows what purgatories hold, and why: numbers, what is probably wrong, and, if
 * {@linkplain Builder#showKeys allowed}, keys and requests. The page changes nothing. Thread-safe.
 *
 * <pre>{@code
 * Console console = Console.serve(polls, replies);
 * System.out.println("See " + console.address());
 * }</pre>
 *
 * <p>While a page is open, it takes a sample each second. While none is, it looks for {@linkplain
 * Findings findings} every ten seconds. A finding that appears is logged as a warning, by the
 * logger {@code dev.purgatory.console}.
 *
 * <p>If the JVM has no memory left, the JDK's HTTP server may end. Then the page stays away;
 * findings are still logged.
 *
 * <p>By default only programs on this machine reach it, without a password. Requests that a page of
 * another site makes are refused.
 */
public final class Console implements AutoCloseable {

  /*
   * A page holds one request open and receives a sample each second, on a thread of its own: so one that does
   * not read delays no other. There are at most MOST_PAGES of them: a new one takes the place of the oldest, whose
   * thread then says so to its page and ends. The threads of other requests, and of pages that do not read, wait for
   * their clients: see ClientWaits. So nobody keeps others out, without a token or with one.
   * The server closes all connections when it is stopped, and writing to them then fails, which ends the threads.
   *
   * On a loopback address, a browser is the only way in for others. A page of another site can make the browser
   * send requests here, but they have an Origin, or a Host that is not this one if its name was bound to this
   * address (DNS rebinding). One for an image has no Origin; the page cannot read its answer, but could open streams
   * so: Sec-Fetch-Site says where it comes from. Elsewhere a token is needed. It comes once in the address, is kept in
   * a cookie, and is removed from the address, which ends up in histories.
   */

  private static final int MOST_PAGES = 8;
  private static final int MOST_WAITING = 16;

  /** Threads that wait for clients, threads of pages, and some that prepare an answer. */
  private static final int MOST_THREADS = 64;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final String TOKEN = "token=";
  private static final String NOT_FROM_HERE =
      "The headers Host, Origin or Sec-Fetch-Site are of another site. A proxy must pass on the Host"
          + " that the browser sends. If this is a loopback address, no proxy can serve the page: use"
          + " an SSH tunnel with the same port at both ends, or host(address), which needs a token.";
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  /** The values of the header Sec-Fetch-Site of requests by the page itself, and by the user. */
  private static final Set<String> SITES = Set.of("same-origin", "none");

  private static final Pattern STORY = Pattern.compile("id=(\\d{1,10})&purgatory=(.*)");
  private static final Map<String, String> FILES =
      Map.of(
          "/", "index.html",
          "/main.js", "main.js",
          "/worker.js", "worker.js",
          "/style.css", "style.css");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8");

  private final Sampler sampler;
  private final int periodMillis;
  private final HttpServer server;
  private final ThreadPoolExecutor threads;
  private final ClientWaits waits = new ClientWaits(MOST_WAITING);

  /** The threads of the open pages, the oldest first; guarded by itself. */
  private final Set<Thread> pages = new LinkedHashSet<>();

  private final CountDownLatch closed = new CountDownLatch(1);

  /** Null on a loopback address. */
  private final @Nullable String token;

  private final URI address;

  /** The values of the header Host that a browser sends here; empty if all are accepted. */
  private final Set<String> hosts;

  private Console(Builder builder) throws IOException {
    Registries registries = new Registries(builder.sessions, builder.throttles);
    sampler =
        new Sampler(
            builder.purgatories,
            registries,
            builder.jvms,
            builder.showsKeys,
            System::nanoTime,
            builder.periodMillis);
    periodMillis = builder.periodMillis;
    server = HttpServer.create(new InetSocketAddress(builder.host, builder.port), 0);
    int port = server.getAddress().getPort();
    boolean isLoopback = builder.host.isLoopbackAddress();
    String literal = literal(builder.host);
    token = isLoopback ? null : randomToken();
    hosts = isLoopback ? Set.of(literal + ":" + port, "localhost:" + port) : Set.of();
    address =
        URI.create("http://" + literal + ":" + port + (token == null ? "/" : "/?" + TOKEN + token));
    threads =
        new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Threads.daemons("purgatory-console"));
    server.setExecutor(exchange -> threads.execute(() -> run(exchange)));
    server.createContext("/", this::handle);
    // On a daemon: the server's thread inherits that, and must not keep the JVM alive.
    try {
      CompletableFuture.runAsync(
              server::start, task -> Threads.daemon(task, "purgatory-console-start").start())
          .join();
      Threads.daemon(this::watch, "purgatory-console-watch").start();
    } catch (Throwable e) {
      server.stop(0);
      throw e;
    }
  }

  /** Returns an address as browsers write it. */
  private static String literal(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return address.getHostAddress();
    }
    String withoutScope = address.getHostAddress().replaceFirst("%.*", "");
    return address.isLoopbackAddress() ? "[::1]" : "[" + withoutScope + "]";
  }

  private static String randomToken() {
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /**
   * Serves a page about these purgatories, for browsers on this machine, at a port that is free.
   * Their keys and requests are hidden.
   *
   * @param purgatories those to show. Without {@linkplain
   *     dev.purgatory.PurgatoryBuilder#diagnostics diagnostics}, there are no rates and no findings
   * @return the console, to be closed
   * @throws IllegalArgumentException if two of them share their diagnostics: these could not be
   *     told apart
   * @throws UncheckedIOException if no port can be opened
   */
  public static Console serve(Purgatory<?>... purgatories) {
    Builder builder = builder();
    for (Purgatory<?> each : purgatories) {
      builder.add(each);
    }
    return builder.serve();
  }

  /**
   * Returns a builder of consoles, without purgatories, for browsers on this machine.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the address of the page, to be opened in a browser.
   *
   * @return an address of HTTP, with the token if one is needed
   */
  public URI address() {
    return address;
  }

  private void watch() {
    boolean isOpen = true;
    boolean failed = false;
    while (isOpen) {
      try {
        if (failed) { // not in the handler, which may find no memory either
          LockSupport.parkNanos(PAUSE_NANOS);
        }
        isOpen = !closed.await(sampler.watch(), TimeUnit.NANOSECONDS);
        failed = false;
      } catch (Throwable e) {
        failed = true;
      }
    }
    sampler.close();
  }

  private void run(Runnable exchange) {
    waits.begin();
    try {
      exchange.run();
    } finally {
      waits.end();
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      headers(exchange.getResponseHeaders());
      String path = exchange.getRequestURI().getPath();
      if (!isFromHere(exchange, path)) {
        refuse(exchange, 403, NOT_FROM_HERE);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        refuse(exchange, 405, "The page changes nothing.");
      } else if (token != null && (isLink(exchange) || !hasToken(exchange, token))) {
        admit(exchange, token);
      } else if (path.equals("/events")) {
        stream(exchange);
      } else if (path.equals("/story")) {
        tell(exchange);
      } else if (FILES.containsKey(path)) {
        send(exchange, requireNonNull(FILES.get(path)));
      } else if (path.equals("/scenario")) {
        send(exchange, 200, Scenario.play(), "application/json");
      } else {
        refuse(exchange, 404, "There is no such page.");
      }
    }
  }

  private static void headers(Headers headers) {
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
  }

  private boolean isFromHere(HttpExchange exchange, String path) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    String origin = exchange.getRequestHeaders().getFirst("Origin");
    String site = exchange.getRequestHeaders().getFirst("Sec-Fetch-Site");
    return host != null
        && (hosts.isEmpty() || hosts.contains(host))
        && (origin == null || origin.equals("http://" + host) || origin.equals("https://" + host))
        && (site == null
            || SITES.contains(site)
            || path.equals("/")); // others may link to the page
  }

  private String cookie() {
    return "purgatory-console-" + server.getAddress().getPort(); // hosts share cookies of all ports
  }

  private boolean hasToken(HttpExchange exchange, String expected) {
    Pattern pair = Pattern.compile("(?:^|;) *" + cookie() + "=([^;]*)");
    return exchange.getRequestHeaders().getOrDefault("Cookie", List.of()).stream()
        .flatMap(header -> pair.matcher(header).results())
        .anyMatch(found -> isSame(found.group(1), expected));
  }

  /** Takes as long for each wrong token. */
  private static boolean isSame(String given, String expected) {
    return MessageDigest.isEqual(
        given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns whether the address has a token, which must not stay there. */
  private static boolean isLink(HttpExchange exchange) {
    String query = exchange.getRequestURI().getRawQuery();
    return query != null && query.startsWith(TOKEN);
  }

  /** Exchanges the token in the address for a cookie. */
  private void admit(HttpExchange exchange, String expected) throws IOException {
    if (!isLink(exchange)
        || !isSame(exchange.getRequestURI().getRawQuery().substring(TOKEN.length()), expected)) {
      refuse(exchange, 401, "Open the address with the token, which Console.address() returns.");
      return;
    }
    Headers headers = exchange.getResponseHeaders();
    boolean isEncrypted =
        "https".equals(exchange.getRequestHeaders().getFirst("X-Forwarded-Proto"));
    String secure = isEncrypted ? "; Secure" : "";
    headers.set("Set-Cookie", cookie() + "=" + expected + "; HttpOnly; SameSite=Strict" + secure);
    headers.set("Location", "./"); // a proxy may serve this below a path, where the cookie stays
    exchange.sendResponseHeaders(303, -1);
  }

  private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
    } else {
      send(exchange, status, (why + '\n').getBytes(StandardCharsets.UTF_8), "text/plain");
    }
  }

  private static void send(HttpExchange exchange, String file) throws IOException {
    try (InputStream resource = Console.class.getResourceAsStream(file)) {
      String type = requireNonNull(TYPES.get(file.substring(file.lastIndexOf('.') + 1)));
      send(exchange, 200, requireNonNull(resource, file).readAllBytes(), type);
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] content, String type)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, content.length);
    exchange.getResponseBody().write(content);
  }

  /** Sends the story of a request. */
  private void tell(HttpExchange exchange) throws IOException {
    Matcher query = STORY.matcher(requireNonNullElse(exchange.getRequestURI().getQuery(), ""));
    byte[] story = null;
    if (query.matches()) {
      waits.end();
      story = sampler.story(query.group(2), Long.parseLong(query.group(1)));
      waits.begin();
    }
    if (story == null) {
      refuse(exchange, 404, "There is no such request.");
    } else {
      send(exchange, 200, story, "application/json");
    }
  }

  /**
   * Sends a sample each second, as a server-sent event, until the page or this is closed, or newer
   * pages need its place.
   */
  private void stream(HttpExchange exchange) throws IOException {
    open();
    try {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.getResponseHeaders().set("X-Accel-Buffering", "no"); // or nginx collects samples
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      out.write("retry: 1000\n\n".getBytes(StandardCharsets.US_ASCII));
      while (isOpen()) {
        waits.end();
        byte[] sample = sampler.sample();
        waits.begin();
        out.write("data: ".getBytes(StandardCharsets.US_ASCII));
        out.write(sample);
        out.write("\n\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
        waits.end();
        if (closed.await(periodMillis, TimeUnit.MILLISECONDS)) {
          return;
        }
        waits.begin();
      }
      out.write("event: displaced\ndata: -\n\n".getBytes(StandardCharsets.US_ASCII));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      leave();
      waits.begin(); // until the exchange is closed
    }
  }

  private void open() {
    synchronized (pages) {
      if (pages.size() == MOST_PAGES) {
        pages.remove(pages.iterator().next());
      }
      pages.add(Thread.currentThread());
    }
  }

  private boolean isOpen() {
    synchronized (pages) {
      return pages.contains(Thread.currentThread());
    }
  }

  private void leave() {
    boolean isLast;
    synchronized (pages) {
      isLast = pages.remove(Thread.currentThread()) && pages.isEmpty();
    }
    if (isLast) { // another page may open now: it begins anew
      sampler.forget();
    }
    if (closed.getCount() == 0) { // this page may have taken a sample since then
      sampler.close();
    }
  }

  /** Ends all pages and frees the port. The purgatories stay open. Closing again does nothing. */
  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdown();
  }

  /** Sets up a {@link Console}. */
  public static final class Builder {
    private final List<Purgatory<?>> purgatories = new ArrayList<>();
    private final Map<String, Sessions<?, ?>> sessions = new LinkedHashMap<>();
    private final Map<String, Throttles<?>> throttles = new LinkedHashMap<>();
    private final Map<String, Callable<? extends MBeanServerConnection>> jvms =
        new LinkedHashMap<>();
    private InetAddress host = InetAddress.getLoopbackAddress();
    private int port;
    private int periodMillis = 1_000;
    private boolean showsKeys;

    private Builder() {}

    /**
     * Shows a purgatory of this program.
     *
     * @param purgatory the console refers to it until it is closed
     * @return this builder
     * @throws IllegalArgumentException if another one has its name or its diagnostics: they could
     *     not be told apart
     */
    public Builder add(Purgatory<?> purgatory) {
      requireNonNull(purgatory, "purgatory");
      for (Purgatory<?> other : purgatories) {
        if (other.name().equals(purgatory.name())) {
          throw new IllegalArgumentException("two purgatories are named " + purgatory.name());
        }
        if (other.inspect().diagnostics() != null
            && other.inspect().diagnostics() == purgatory.inspect().diagnostics()) {
          throw new IllegalArgumentException(
              other.name() + " and " + purgatory.name() + " share diagnostics: give each its own");
        }
      }
      purgatories.add(purgatory);
      return this;
    }

    /**
     * Shows how many sessions of this program are open.
     *
     * @param title what the page calls them
     * @param sessions the console refers to them until it is closed
     * @return this builder
     * @throws IllegalArgumentException if others have the title
     */
    public Builder add(String title, Sessions<?, ?> sessions) {
      requireNonNull(title, "title");
      requireNonNull(sessions, "sessions");
      if (this.sessions.putIfAbsent(title, sessions) != null) {
        throw new IllegalArgumentException("two sessions are named " + title);
      }
      return this;
    }

    /**
     * Shows for how many keys throttles of this program have a quota in use. Their requests are
     * those of a purgatory, to be added as well.
     *
     * @param title what the page calls them
     * @param throttles the console refers to them until it is closed
     * @return this builder
     * @throws IllegalArgumentException if others have the title
     */
    public Builder add(String title, Throttles<?> throttles) {
      requireNonNull(title, "title");
      requireNonNull(throttles, "throttles");
      if (this.throttles.putIfAbsent(title, throttles) != null) {
        throw new IllegalArgumentException("two throttles are named " + title);
      }
      return this;
    }

    /**
     * Shows the numbers of the purgatories of another JVM, which it publishes as MBeans: see {@link
     * PurgatoryReading#readAll}. Of a broker of Kafka, it also shows how many requests its client
     * quotas delay.
     *
     * @param title what the page calls it
     * @param connection returns a connection to it. Called for each sample, by one thread at a
     *     time: it can return the same connection again, or a new one if the JVM was restarted. If
     *     it fails, the page shows the message. If the JVM does not answer for two seconds, the
     *     page says so, and shows its numbers when they come
     * @return this builder
     * @throws IllegalArgumentException if another JVM has the title
     */
    public Builder add(String title, Callable<? extends MBeanServerConnection> connection) {
      requireNonNull(title, "title");
      requireNonNull(connection, "connection");
      if (jvms.putIfAbsent(title, connection) != null) {
        throw new IllegalArgumentException("two JVMs are named " + title);
      }
      return this;
    }

    /**
     * Shows keys and requests: everybody who can open the page sees them as text.
     *
     * @return this builder
     */
    public Builder showKeys() {
      showsKeys = true;
      return this;
    }

    /** Sets the time between samples, for tests that have no second. */
    Builder periodMillis(int millis) {
      periodMillis = millis;
      return this;
    }

    /**
     * Sets the port.
     *
     * @param port 0 to 65,535; 0, which is the default, is any free port
     * @return this builder
     * @throws IllegalArgumentException if it is not in this range
     */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port " + port + " is not from 0 to 65535");
      }
      this.port = port;
      return this;
    }

    /**
     * Sets the address of this machine at which browsers reach the page. If it is not a loopback
     * address, the page needs a token, which is in {@link Console#address()}. The connection is not
     * encrypted: anyone who can read it can read the token. With the wildcard address, replace it
     * there by a name of this machine.
     *
     * @param address by default the loopback address
     * @return this builder
     */
    public Builder host(InetAddress address) {
      this.host = requireNonNull(address, "address");
      return this;
    }

    /**
     * Begins to serve the page.
     *
     * @return the console, to be closed
     * @throws UncheckedIOException if the port cannot be opened
     */
    public Console serve() {
      try {
        return new Console(this);
      } catch (IOException e) {
        throw new UncheckedIOException("the console cannot use port " + port, e);
      }
    }
  }
}

package dev.purgatory.examples.javalin;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Long polls in a servlet of any container, without a thread for each. */
final class PollServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient Map<String, String> news = new ConcurrentHashMap<>();
  private final transient Purgatory<String> polls;

  PollServlet(Purgatory<String> polls) {
    this.polls = polls;
  }

  // sample: servlet
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) {
    AsyncContext exchange = request.startAsync();
    exchange.setTimeout(0); // the limit of the poll is the only one
    String topic = request.getPathInfo();
    HeldFuture<String> poll =
        polls
            .until(() -> news.get(topic))
            .orAfter(Duration.ofSeconds(30), () -> "nothing new")
            .hold(topic);
    var unused = poll.whenComplete((found, error) -> exchange.start(() -> answer(exchange, found)));
  }

  private static void answer(AsyncContext exchange, @Nullable String found) {
    HttpServletResponse response = (HttpServletResponse) exchange.getResponse();
    try {
      if (found == null) {
        response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE); // closed, or a limit
      } else {
        response.getWriter().println(found);
      }
    } catch (IOException lost) { // the client has gone
      log(exchange, lost);
    } finally {
      exchange.complete();
    }
  }

  // end

  private static void log(AsyncContext exchange, IOException lost) {
    exchange.getRequest().getServletContext().log("not answered: " + lost);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    news.put(request.getPathInfo(), request.getReader().readLine());
    polls.signal(request.getPathInfo());
  }
}

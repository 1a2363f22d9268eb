package dev.purgatory.spring;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldRequest;
import dev.purgatory.Inspection;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatorySnapshot;
import dev.purgatory.Scope;
import dev.purgatory.base.ForeignText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/** What the purgatories hold, and why a request still waits. Changes nothing. */
@WebEndpoint(id = "purgatory")
final class PurgatoryEndpoint {

  /*
   * For the web only: JMX has an MBean. No request is kept between two calls, so that none stays
   * reachable. A request is therefore identified by the identity hash code of its object, which two requests
   * share in the rarest of cases; the older one is shown then.
   *
   * Each call visits all entries of a purgatory, and for findings those of all. That is the price of an answer that
   * is up to date, for people, who ask seldom.
   */

  /** With more, requests are counted and not listed: listing makes an object for each. */
  private static final int MOST_LISTED = 10_000;

  private static final int MOST_SHOWN = 20;

  private final Map<String, Purgatory<?>> purgatories;
  private final PurgatoryEndpointProperties properties;
  private final @Nullable Console console;

  PurgatoryEndpoint(
      Map<String, Purgatory<?>> purgatories,
      PurgatoryEndpointProperties properties,
      @Nullable Console console) {
    this.purgatories = purgatories;
    this.properties = properties;
    this.console = console;
  }

  /** What {@code purgatory-console} finds, if the application has it. */
  interface Console {
    /**
     * Returns what is probably wrong, by the name of the purgatory, or null for the whole program.
     *
     * @param name returns what a key is called
     */
    Map<@Nullable String, ? extends List<?>> findings(Function<Object, String> name);
  }

  /**
   * All purgatories.
   *
   * @param purgatories by the names of their beans
   * @param findings those about the whole program; null without the console, whose class they have
   */
  @JsonInclude(Include.NON_NULL)
  record Overview(Map<String, Numbers> purgatories, @Nullable List<?> findings) {}

  /**
   * The numbers of a purgatory.
   *
   * @param retained entries of ended requests that are not removed yet
   * @param oldest how long the oldest request has been held; null if none is
   * @param missedSignals the missed signals of all keys; null without diagnostics
   * @param findings how many things are probably wrong with it; null without the console
   */
  @JsonInclude(Include.NON_NULL)
  record Numbers(
      long pending,
      long unanswered,
      long retained,
      int keys,
      @Nullable Duration oldest,
      @Nullable Long missedSignals,
      @Nullable Integer findings) {

    private static Numbers of(
        Purgatory<?> purgatory, PurgatorySnapshot<?> snapshot, @Nullable List<?> findings) {
      Inspection<?> inspection = purgatory.inspect();
      Diagnostics diagnostics = inspection.diagnostics();
      return new Numbers(
          purgatory.pending(),
          inspection.unanswered(),
          snapshot.retained(),
          inspection.keys(),
          snapshot.oldest(),
          diagnostics == null
              ? null
              : diagnostics.missedSignals().values().stream().mapToLong(Long::longValue).sum(),
          findings == null ? null : findings.size());
    }
  }

  /**
   * One purgatory.
   *
   * @param missedSignals null without diagnostics
   * @param findings null without the console, whose class they have
   * @param oldestRequests null if there are too many requests to list them
   */
  @JsonInclude(Include.NON_NULL)
  record Details(
      Numbers numbers,
      List<KeyCount> busiestKeys,
      @Nullable List<KeyCount> missedSignals,
      @Nullable List<?> findings,
      @Nullable List<Request> oldestRequests) {}

  /** The number of requests, or of missed signals, of a key, which is null if it is hidden. */
  @JsonInclude(Include.NON_NULL)
  record KeyCount(@Nullable String key, long count) {}

  /** A held request. What is hidden, or what it has not, is null. */
  @JsonInclude(Include.NON_NULL)
  record Request(
      String id,
      Duration heldFor,
      @Nullable Duration timeLeft,
      @Nullable List<String> keys,
      @Nullable String tag,
      @Nullable String explanation) {}

  @ReadOperation
  Overview purgatories() {
    var findings = findings(/* shown= */ false);
    Map<String, Numbers> numbers = new LinkedHashMap<>();
    purgatories.forEach(
        (name, each) ->
            numbers.put(
                name, Numbers.of(each, each.inspect().snapshot(0), about(each.name(), findings))));
    return new Overview(numbers, about(null, findings));
  }

  /** Returns null, which is Not Found, if there is no such purgatory. */
  @ReadOperation
  @Nullable Details purgatory(SecurityContext user, @Selector String name) {
    Purgatory<?> purgatory = purgatories.get(name);
    return purgatory == null ? null : details(purgatory, isShown(user));
  }

  private Details details(Purgatory<?> purgatory, boolean shown) {
    PurgatorySnapshot<?> snapshot = purgatory.inspect().snapshot(MOST_SHOWN);
    Diagnostics diagnostics = purgatory.inspect().diagnostics();
    List<?> findings = about(purgatory.name(), findings(shown));
    List<? extends HeldRequest<?>> held = held(purgatory);
    return new Details(
        Numbers.of(purgatory, snapshot, findings),
        counts(snapshot.busiest(), shown),
        diagnostics == null ? null : counts(diagnostics.missedSignals(), shown),
        findings,
        held == null
            ? null
            : held.stream()
                .limit(MOST_SHOWN)
                .map(each -> describe(each, diagnostics, shown))
                .toList());
  }

  private @Nullable Map<@Nullable String, ? extends List<?>> findings(boolean shown) {
    return console == null
        ? null
        : console.findings(shown ? ForeignText::of : PurgatoryEndpoint::hidden);
  }

  private static @Nullable List<?> about(
      @Nullable String purgatory, @Nullable Map<@Nullable String, ? extends List<?>> findings) {
    if (findings == null) {
      return null;
    }
    List<?> found = findings.get(purgatory);
    return found == null ? List.of() : found;
  }

  private static String hidden(Object named) {
    return (named instanceof Scope ? "one owner" : "a key") + ", which is hidden";
  }

  /** Returns the requests, the oldest first; null if there are too many. */
  private static @Nullable List<? extends HeldRequest<?>> held(Purgatory<?> purgatory) {
    return purgatory.pending() > MOST_LISTED ? null : purgatory.inspect().held();
  }

  /** Returns null, which is Not Found, if the purgatory does not hold such a request. */
  @ReadOperation
  @Nullable Request request(SecurityContext user, @Selector String name, @Selector String id) {
    Purgatory<?> purgatory = purgatories.get(name);
    if (purgatory == null) {
      return null;
    }
    List<? extends HeldRequest<?>> held = held(purgatory);
    if (held == null) {
      return null;
    }
    return held.stream()
        .filter(each -> id(each).equals(id))
        .findFirst()
        .map(each -> describe(each, purgatory.inspect().diagnostics(), isShown(user)))
        .orElse(null);
  }

  private boolean isShown(SecurityContext user) {
    return properties.showValues().isShown(user, properties.roles());
  }

  private static List<KeyCount> counts(Map<?, ? extends Number> counts, boolean shown) {
    return counts.entrySet().stream()
        .limit(MOST_SHOWN)
        .map(
            each ->
                new KeyCount(
                    shown ? ForeignText.of(each.getKey()) : null, each.getValue().longValue()))
        .toList();
  }

  private static String id(HeldRequest<?> request) {
    return Integer.toHexString(System.identityHashCode(request.operation()));
  }

  private static Request describe(
      HeldRequest<?> request, @Nullable Diagnostics diagnostics, boolean shown) {
    return new Request(
        id(request),
        request.heldFor(),
        request.timeLeft(),
        shown ? request.keys().stream().limit(MOST_SHOWN).map(ForeignText::of).toList() : null,
        shown && request.tag() != null ? ForeignText.of(request.tag()) : null,
        shown && diagnostics != null ? diagnostics.explain(request.operation()) : null);
  }
}

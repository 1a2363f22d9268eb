package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PurgatoryBeanTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();

  private PurgatoryBuilder<String> builder(String name) {
    return Purgatory.builder(name, String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .mxBean();
  }

  @AfterEach
  void nothingIsLeft() throws JMException {
    assertThat(registered()).isEmpty();
  }

  private static Set<ObjectName> registered() throws JMException {
    return SERVER.queryNames(new ObjectName("dev.purgatory:type=Purgatory,*"), null);
  }

  private static Bean bean(String name) throws JMException {
    return new Bean(new ObjectName("dev.purgatory:type=Purgatory,name=" + name));
  }

  private record Bean(ObjectName name) {
    Object read(String attribute) throws JMException {
      return SERVER.getAttribute(name, attribute);
    }

    long count(String attribute) throws JMException {
      return (Long) read(attribute);
    }
  }

  @Test
  void bean_showsWhatIsHeld_andCountsOutcomes() throws JMException {
    Limit limit = Limit.builder("few").requests(4).build();
    try (Purgatory<String> polls = builder("polls").limit(limit).build()) {
      HeldFuture<String> completed = hold(polls);
      HeldFuture<String> cancelled = hold(polls);
      HeldFuture<String> failed = hold(polls);
      HeldFuture<String> timedOut = hold(polls);
      assertThat(hold(polls)).isCompletedExceptionally();
      ticker.advance(Duration.ofSeconds(2));
      Bean bean = bean("polls");
      assertThat(bean.count("OldestMillis")).isEqualTo(2_000);
      assertThat(bean.count("Pending")).isEqualTo(4);
      assertThat(bean.count("Watched")).isEqualTo(4);
      assertThat(bean.count("Keys")).isEqualTo(1);
      assertThat(bean.count("NextDueMillis")).isBetween(0L, 3_000L);
      assertThat((Double) bean.read("LatenessMsP99")).isZero();
      assertThat(completed.complete("x")).isTrue();
      assertThat(cancelled.cancel(false)).isTrue();
      assertThat(failed.completeExceptionally(new IllegalStateException())).isTrue();
      assertThat(bean.count("Retained")).as("up to a second old").isZero();
      ticker.advance(Duration.ofSeconds(1));
      assertThat(bean.count("Retained")).isEqualTo(3);
      ticker.advance(LIMIT);
      timer.advance();
      assertThat(timedOut).isDone();
      assertThat((Double) bean.read("LatenessMsP99")).isBetween(3_000.0, 3_750.0);
      assertThat(polls.until(() -> "now").forever().hold("b")).isDone();
      assertThat(bean.read("Name")).isEqualTo("polls");
      assertThat(bean.count("Held")).isEqualTo(4);
      assertThat(bean.count("AnsweredAtOnce")).isEqualTo(1);
      assertThat(bean.count("Completed")).isEqualTo(1);
      assertThat(bean.count("Cancelled")).isEqualTo(1);
      assertThat(bean.count("Failed")).isEqualTo(1);
      assertThat(bean.count("TimedOut")).isEqualTo(1);
      assertThat(bean.count("Closed")).isZero();
      assertThat(bean.count("Refused")).isEqualTo(1);
      assertThat(bean.count("Errors")).isZero();
      assertThat(bean.count("Unanswered")).isZero();
      assertThat(bean.count("Pending")).isZero();
      assertThat(bean.count("OldestMillis")).isZero();
      TimerInternals.of(timer).wheels().purge();
      ticker.advance(LIMIT);
      timer.advance();
      assertThat(bean.count("NextDueMillis")).as("nothing is scheduled").isEqualTo(-1);
    }
  }

  private static HeldFuture<String> hold(Purgatory<String> polls) {
    return polls.<String>until(() -> null).orTimeout(LIMIT).hold("a");
  }

  @Test
  void allAttributes_canBeRead_byAConsole() throws Exception {
    try (Purgatory<String> polls = builder("polls").build()) {
      assertThat(hold(polls)).isNotDone();
      ObjectName name = registered().iterator().next();
      MBeanInfo info = SERVER.getMBeanInfo(name);
      assertThat(info.getAttributes()).hasSize(18);
      for (var attribute : info.getAttributes()) {
        Object value = SERVER.getAttribute(name, attribute.getName());
        assertThat(value.getClass().getName()).isEqualTo(attribute.getType());
        assertThat(attribute.isWritable()).isFalse();
        Attribute change = new Attribute(attribute.getName(), value);
        assertThatThrownBy(() -> SERVER.setAttribute(name, change)).isInstanceOf(JMException.class);
      }
      String[] names = {"Held", "none", "Name"};
      assertThat(SERVER.getAttributes(name, names).asList())
          .containsExactly(new Attribute("Held", 1L), new Attribute("Name", "polls"));
      assertThatThrownBy(() -> SERVER.getAttribute(name, "none")).isInstanceOf(JMException.class);
      assertThatThrownBy(() -> SERVER.invoke(name, "close", null, null))
          .isInstanceOf(JMException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "a,b=c:d", "\"quoted\"", "line\nbreak\\", "?", "ключ", "a b"})
  void hostileNames_areQuoted(String name) throws JMException {
    try (Purgatory<String> polls = builder(name).build()) {
      assertThat(bean(ObjectName.quote(name)).read("Name")).isEqualTo(name);
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void twoPurgatories_cannotShareAName_andTheSecondIsNotBuilt() throws JMException {
    try (Purgatory<String> polls = builder("polls").build()) {
      PurgatoryBuilder<String> second = Purgatory.builder("polls", String.class).mxBean();
      assertThatThrownBy(second::build)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another purgatory named polls has an MBean");
      assertThat(hold(polls)).isNotDone();
      assertThat(bean("polls").count("Pending")).isEqualTo(1);
    }
    try (Purgatory<String> next = builder("polls").build()) {
      assertThat(hold(next)).isNotDone();
      assertThat(bean("polls").count("Pending")).as("the name is free again").isEqualTo(1);
    }
  }

  @Test
  void close_removesTheBean_evenIfSomebodyElseHasRemovedItBefore() throws Exception {
    Purgatory<String> limited = builder("polls").build();
    assertThat(hold(limited)).isNotDone();
    assertThat(limited.close(Duration.ZERO)).hasSizeLessThanOrEqualTo(1);
    assertThat(registered()).isEmpty();
    Purgatory<String> removed = builder("polls").build();
    SERVER.unregisterMBean(registered().iterator().next());
    removed.close();
  }

  @Test
  void errors_areCounted_andOtherListenersSeeThem() throws JMException {
    List<Throwable> seen = new ArrayList<>();
    PurgatoryListener listener =
        new PurgatoryListener() {
          @Override
          public void onError(Object operation, Source source, Throwable error) {
            seen.add(error);
          }
        };
    PurgatoryBuilder<String> builder = builder("polls").listener(listener);
    RecordingOperation broken = new RecordingOperation(LIMIT);
    broken.onAnswer(
        () -> {
          throw new IllegalStateException("broken");
        });
    try (Purgatory<String> polls = builder.build()) {
      assertThat(polls.hold(broken, "a")).isFalse();
      assertThat(broken.complete()).isTrue();
      assertThat(bean("polls").count("Errors")).isEqualTo(1);
    }
    assertThat(seen).hasSize(1);
    assertThat(builder.listeners).containsExactly(listener);
  }
}

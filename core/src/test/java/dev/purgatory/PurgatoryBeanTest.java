package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.timer.Timer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.management.JMException;
import javax.management.JMX;
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

  private static PurgatoryMXBean bean(String name) throws JMException {
    return JMX.newMXBeanProxy(
        SERVER, new ObjectName("dev.purgatory:type=Purgatory,name=" + name), PurgatoryMXBean.class);
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
      PurgatoryMXBean bean = bean("polls");
      assertThat(bean.getOldestMillis()).isEqualTo(2_000);
      assertThat(bean.getPending()).isEqualTo(4);
      assertThat(bean.getWatched()).isEqualTo(4);
      assertThat(bean.getKeys()).isEqualTo(1);
      assertThat(bean.getNextDueMillis()).isBetween(0L, 3_000L);
      assertThat(bean.getLatenessMsP99()).isZero();
      assertThat(completed.complete("x")).isTrue();
      assertThat(cancelled.cancel(false)).isTrue();
      assertThat(failed.completeExceptionally(new IllegalStateException())).isTrue();
      assertThat(bean.getRetained()).as("up to a second old").isZero();
      ticker.advance(Duration.ofSeconds(1));
      assertThat(bean.getRetained()).isEqualTo(3);
      ticker.advance(LIMIT);
      timer.advance();
      assertThat(timedOut).isDone();
      assertThat(bean.getLatenessMsP99()).isBetween(3_000.0, 3_750.0);
      assertThat(polls.until(() -> "now").forever().hold("b")).isDone();
      assertThat(bean.getName()).isEqualTo("polls");
      assertThat(bean.getHeld()).isEqualTo(4);
      assertThat(bean.getAnsweredAtOnce()).isEqualTo(1);
      assertThat(bean.getCompleted()).isEqualTo(1);
      assertThat(bean.getCancelled()).isEqualTo(1);
      assertThat(bean.getFailed()).isEqualTo(1);
      assertThat(bean.getTimedOut()).isEqualTo(1);
      assertThat(bean.getClosed()).isZero();
      assertThat(bean.getRefused()).isEqualTo(1);
      assertThat(bean.getErrors()).isZero();
      assertThat(bean.getUnanswered()).isZero();
      assertThat(bean.getPending()).isZero();
      assertThat(bean.getOldestMillis()).isZero();
      timer.purge();
      ticker.advance(LIMIT);
      timer.advance();
      assertThat(bean.getNextDueMillis()).as("nothing is scheduled").isEqualTo(-1);
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
      assertThat(info.getAttributes()).hasSize(PurgatoryMXBean.class.getMethods().length);
      for (var attribute : info.getAttributes()) {
        assertThat(SERVER.getAttribute(name, attribute.getName())).isNotNull();
        assertThat(attribute.isWritable()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "a,b=c:d", "\"quoted\"", "line\nbreak\\", "?", "ключ", "a b"})
  void hostileNames_areQuoted(String name) throws JMException {
    try (Purgatory<String> polls = builder(name).build()) {
      assertThat(bean(ObjectName.quote(name)).getName()).isEqualTo(name);
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void twoPurgatories_cannotShareAName_andTheSecondIsNotBuilt() throws JMException {
    try (Purgatory<String> polls = builder("polls").build()) {
      PurgatoryBuilder<String> second = Purgatory.builder("polls", String.class).mxBean();
      assertThatThrownBy(second::build)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another purgatory named polls has an MXBean");
      assertThat(hold(polls)).isNotDone();
      assertThat(bean("polls").getPending()).isEqualTo(1);
    }
    try (Purgatory<String> next = builder("polls").build()) {
      assertThat(hold(next)).isNotDone();
      assertThat(bean("polls").getPending()).as("the name is free again").isEqualTo(1);
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
      assertThat(bean("polls").getErrors()).isEqualTo(1);
    }
    assertThat(seen).hasSize(1);
    assertThat(builder.listeners).containsExactly(listener);
  }
}

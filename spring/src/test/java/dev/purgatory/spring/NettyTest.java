package dev.purgatory.spring;

import dev.purgatory.Outcome;
import java.net.Socket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;

class NettyTest extends AbstractWebTest {
  NettyTest() {
    super("--spring.main.web-application-type=reactive");
  }

  @Override
  boolean mayBlock() {
    return false;
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "mono", "stage", "blocking"})
  void refusedOrLateRequest_isUnavailable(String path, CapturedOutput output) throws Exception {
    refusalsAndTimeouts_areUnavailable(path, output);
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "mono", "stage"})
  void heldRequest_isAnsweredByASignal(String path) throws Exception {
    signalAnswers(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"future", "mono", "stage"})
  void clientThatGoesAway_cancelsItsRequest(String path) throws Exception {
    Socket socket = send(path, 60);
    awaitPending(1);
    socket.close();
    awaitEnd(Outcome.CANCELLED);
  }
}

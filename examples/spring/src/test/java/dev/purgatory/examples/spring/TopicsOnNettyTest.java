package dev.purgatory.examples.spring;

import java.net.Socket;
import org.junit.jupiter.api.Test;

class TopicsOnNettyTest extends AbstractTopicsTest {
  TopicsOnNettyTest() {
    super("reactive");
  }

  @Test
  void readerThatDisconnects_isForgotten() throws Exception {
    Socket reader = connect("/topics/gone/messages?maxWait=60s");
    awaitPending(1);
    reader.close();
    awaitPending(0);
  }
}

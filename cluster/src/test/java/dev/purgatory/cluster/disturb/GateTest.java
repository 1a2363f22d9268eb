package dev.purgatory.cluster.disturb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GateTest {
  private static final int SOON_MILLIS = 200;
  private static final int PATIENCE_MILLIS = 20_000;

  private final ServerSocket server = listen();
  private final Gate gate = new Gate(server.getLocalPort());

  private static ServerSocket listen() {
    try {
      return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws IOException {
    gate.close();
    server.close();
  }

  private Socket client() throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), gate.port());
    client.setSoTimeout(PATIENCE_MILLIS);
    return client;
  }

  @Test
  void openGateForwardsInBothDirections() throws IOException {
    try (Socket client = client();
        Socket behind = server.accept()) {
      client.getOutputStream().write(1);
      assertThat(behind.getInputStream().read()).isEqualTo(1);
      behind.getOutputStream().write(2);
      assertThat(client.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void shutGateHoldsDataBackUntilItOpens() throws IOException {
    try (Socket client = client();
        Socket behind = server.accept()) {
      gate.shut();
      client.getOutputStream().write(1);
      behind.setSoTimeout(SOON_MILLIS);
      assertThatThrownBy(() -> behind.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      gate.open();
      behind.setSoTimeout(PATIENCE_MILLIS);
      assertThat(behind.getInputStream().read()).isEqualTo(1);
    }
  }

  @Test
  void closingOneSideClosesTheOther() throws IOException {
    try (Socket client = client()) {
      server.accept().close();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void closesTheConnectionIfNoServerListens() throws IOException {
    server.close();
    try (Socket client = client()) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }
}

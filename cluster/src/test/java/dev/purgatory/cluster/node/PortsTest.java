package dev.purgatory.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class PortsTest {
  @Test
  void freePortsAreDistinct() {
    assertThat(Ports.free(20)).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void portInUseIsNotFree() throws IOException {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
      assertThat(Ports.obstacle(port)).isPresent();
      assertThat(Ports.accepts(port)).isTrue();
    }
    assertThat(Ports.accepts(port)).isFalse();
  }

  @Test
  void portInUseOnAllInterfacesIsNotFree() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      assertThat(Ports.obstacle(taken.getLocalPort())).isPresent();
    }
  }
}

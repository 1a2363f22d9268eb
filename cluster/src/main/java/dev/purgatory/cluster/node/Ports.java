package dev.purgatory.cluster.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** TCP ports of the loopback interface. */
public final class Ports {
  /** The address that all nodes listen on. */
  static final String LOOPBACK = "127.0.0.1";

  private static final int CONNECT_MILLIS = 500;

  private Ports() {}

  /**
   * Ports that nobody listens on, all different.
   *
   * @param count how many
   * @return the ports; somebody else may take one at any time
   * @throws UncheckedIOException when the system has none left
   */
  public static List<Integer> free(int count) {
    // All sockets stay open until the last is chosen: a closed one could be handed out again.
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      while (sockets.size() < count) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port: " + e.getMessage(), e);
    } finally {
      sockets.forEach(Ports::close);
    }
  }

  /**
   * Why no server could listen on the port now.
   *
   * @param port from 1 to 65535
   * @return what the system says, in one line; empty when a server could
   */
  public static Optional<String> obstacle(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound() ? Optional.empty() : Optional.of("not bound");
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Whether a server accepts connections on the port now.
   *
   * @param port from 1 to 65535
   * @return true when a connection could be opened
   */
  public static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

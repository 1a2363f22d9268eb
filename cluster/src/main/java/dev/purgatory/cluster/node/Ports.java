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
   * Returns distinct ports that no process listens on. Another process may take them at any time.
   *
   * @param count the number of ports
   * @throws UncheckedIOException if there are not enough free ports
   */
  public static List<Integer> free(int count) {
    // All sockets stay open until the last port is chosen, so that no port is returned twice.
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
   * Returns the reason why a server cannot listen on a port.
   *
   * @param port a port, from 1 to 65535
   * @return the system's message in one line; empty if a server can listen on the port
   */
  public static Optional<String> obstacle(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound() ? Optional.empty() : Optional.of("not bound");
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns whether a server accepts connections on a port.
   *
   * @param port a port, from 1 to 65535
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

package dev.purgatory.examples.replicatedlog;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** Copies the log of a leader. Connects again when the connection is lost, until interrupted. */
final class Follower implements Runnable {
  private static final int READ_LIMIT_MILLIS = 5000;
  private static final int RETRY_MILLIS = 50;

  private final String name;
  private final LogFile log;
  private final int leaderPort;

  Follower(String name, LogFile log, int leaderPort) {
    this.name = name;
    this.log = log;
    this.leaderPort = leaderPort;
  }

  @Override
  public void run() {
    try {
      while (true) {
        copyUntilDisconnected();
        Thread.sleep(RETRY_MILLIS);
      }
    } catch (InterruptedException e) {
      // stopped
    }
  }

  private void copyUntilDisconnected() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), leaderPort);
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(READ_LIMIT_MILLIS);
      out.writeByte(LeaderServer.FOLLOWER);
      out.writeUTF(name);
      while (true) {
        copy(in, out);
      }
    } catch (IOException e) {
      // The leader is gone, or not there yet.
    }
  }

  /** Asks for the entries after its own, which tells the leader what it has. */
  private void copy(DataInputStream in, DataOutputStream out) throws IOException {
    out.writeInt(log.end());
    out.flush();
    int entries = in.readInt();
    for (int i = 0; i < entries; i++) {
      log.append(in.readUTF());
    }
  }
}

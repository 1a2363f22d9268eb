package dev.purgatory.cluster.probe;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * Reads the MBeans of another JVM on this machine. Opens no port in it that other users could
 * reach: it attaches to the process and has it start a local connector.
 */
final class JmxConnection implements AutoCloseable {
  private final Closeable connector;
  private final MBeanServerConnection server;

  /**
   * A connection that is open already.
   *
   * @param server what is read
   * @param connector what is closed at the end
   */
  JmxConnection(MBeanServerConnection server, Closeable connector) {
    this.server = server;
    this.connector = connector;
  }

  /**
   * Connects to a process that has come far enough to be attached to.
   *
   * @param pid the process, of the same user
   * @throws IOException when the process ends, or does not let itself be attached to
   */
  static JmxConnection attach(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        JMXConnector connector = connect(machine.startLocalManagementAgent());
        return new JmxConnection(connector.getMBeanServerConnection(), connector);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot attach to process " + pid, e);
    }
  }

  /** To a process that this one started itself: what it sends is not somebody else's. */
  @SuppressWarnings("BanJNDI")
  private static JMXConnector connect(String address) throws IOException {
    return JMXConnectorFactory.connect(new JMXServiceURL(address));
  }

  /**
   * The MBeans whose names match.
   *
   * @param pattern a name, or a pattern of names
   * @throws IOException when the process is gone
   */
  Set<ObjectName> find(String pattern) throws IOException {
    return server.queryNames(name(pattern), null);
  }

  /**
   * One attribute.
   *
   * @return its value; null when the MBean or the attribute is not there
   * @throws IOException when the process is gone
   */
  @Nullable Object read(ObjectName bean, String attribute) throws IOException {
    try {
      return server.getAttribute(bean, attribute);
    } catch (JMException e) {
      return null;
    }
  }

  /**
   * One attribute that is a number.
   *
   * @return its value; 0 when it is not there
   * @throws IOException when the process is gone
   */
  long readLong(ObjectName bean, String attribute) throws IOException {
    return read(bean, attribute) instanceof Number number ? number.longValue() : 0;
  }

  /**
   * One attribute of all MBeans whose names match, added up.
   *
   * @throws IOException when the process is gone
   */
  long sum(String pattern, String attribute) throws IOException {
    long sum = 0;
    for (ObjectName bean : find(pattern)) {
      sum += readLong(bean, attribute);
    }
    return sum;
  }

  /**
   * Has the JVM collect its garbage and count what is left, by class.
   *
   * @return the histogram as the JVM prints it
   * @throws IOException when the process is gone or cannot do it
   */
  String liveObjects() throws IOException {
    try {
      Object histogram =
          server.invoke(
              name("com.sun.management:type=DiagnosticCommand"),
              "gcClassHistogram",
              new Object[] {new String[0]},
              new String[] {String[].class.getName()});
      return String.valueOf(histogram);
    } catch (InstanceNotFoundException e) {
      throw new IOException("this JVM has no diagnostic commands", e);
    } catch (JMException e) {
      throw new IOException("cannot count live objects: " + e.getMessage(), e);
    }
  }

  /** The name, or pattern of names, that a text stands for. */
  static ObjectName name(String text) {
    try {
      return new ObjectName(text);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException("not the name of an MBean: " + text, e);
    }
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The other side is gone, which closes the connection just as well.
    }
  }
}

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

/** Reads the MBeans of another JVM. */
public final class JmxConnection implements AutoCloseable {
  private final Closeable connector;
  private final MBeanServerConnection server;

  /**
   * Wraps an open connection.
   *
   * @param server the connection
   * @param connector the connector, which is closed together with this object
   */
  JmxConnection(MBeanServerConnection server, Closeable connector) {
    this.server = server;
    this.connector = connector;
  }

  /**
   * Connects to a process on this machine. It attaches to the process and starts its local
   * connector, so no port is opened that other users could reach.
   *
   * @param pid the id of a JVM of the same user that is fully started
   * @throws IOException if the process ends or refuses the connection
   */
  public static JmxConnection attach(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        return connect(machine.startLocalManagementAgent());
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot attach to process " + pid, e);
    }
  }

  /**
   * Connects to a JVM that listens for JMX, without a password and without TLS.
   *
   * @param host the name or the address of its machine
   * @param port the port of its registry, as in {@code com.sun.management.jmxremote.port}
   * @throws IOException if it cannot be reached
   */
  public static JmxConnection connect(String host, int port) throws IOException {
    String literal = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    try {
      return connect("service:jmx:rmi:///jndi/rmi://" + literal + ":" + port + "/jmxrmi");
    } catch (SecurityException e) {
      throw new IOException("it asks for a user and a password", e);
    }
  }

  /** Connects to an address that comes from the process itself or from the user. */
  @SuppressWarnings("BanJNDI")
  private static JmxConnection connect(String address) throws IOException {
    JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
    return new JmxConnection(connector.getMBeanServerConnection(), connector);
  }

  /** Returns what reads the MBeans. */
  public MBeanServerConnection server() {
    return server;
  }

  /**
   * Returns the MBeans whose names match.
   *
   * @param pattern a name, or a pattern of names
   * @throws IOException if the process cannot be reached
   */
  Set<ObjectName> find(String pattern) throws IOException {
    return server.queryNames(name(pattern), null);
  }

  /**
   * Reads an attribute.
   *
   * @return its value, or null if the MBean or the attribute does not exist
   * @throws IOException if the process cannot be reached
   */
  @Nullable Object read(ObjectName bean, String attribute) throws IOException {
    try {
      return server.getAttribute(bean, attribute);
    } catch (JMException e) {
      return null;
    }
  }

  /**
   * Reads a numeric attribute.
   *
   * @return its value, or 0 if it does not exist
   * @throws IOException if the process cannot be reached
   */
  long readLong(ObjectName bean, String attribute) throws IOException {
    return read(bean, attribute) instanceof Number number ? number.longValue() : 0;
  }

  /**
   * Adds up an attribute of all MBeans whose names match.
   *
   * @throws IOException if the process cannot be reached
   */
  long sum(String pattern, String attribute) throws IOException {
    long sum = 0;
    for (ObjectName bean : find(pattern)) {
      sum += readLong(bean, attribute);
    }
    return sum;
  }

  /**
   * Collects garbage in the JVM and counts the live objects of each class.
   *
   * @return the histogram as the JVM prints it
   * @throws IOException if the process cannot be reached or does not support this
   */
  String liveObjects() throws IOException {
    return diagnose("gcClassHistogram");
  }

  /**
   * Describes all threads of the JVM, its compilers included.
   *
   * @return what the JVM prints
   * @throws IOException if the process cannot be reached or does not support this
   */
  String threads() throws IOException {
    return diagnose("threadPrint");
  }

  private String diagnose(String command) throws IOException {
    try {
      Object answer =
          server.invoke(
              name("com.sun.management:type=DiagnosticCommand"),
              command,
              new Object[] {new String[0]},
              new String[] {String[].class.getName()});
      return String.valueOf(answer);
    } catch (InstanceNotFoundException e) {
      throw new IOException("this JVM has no diagnostic commands", e);
    } catch (JMException e) {
      throw new IOException("the JVM refuses " + command + ": " + e.getMessage(), e);
    }
  }

  /** Parses a name, or a pattern of names. */
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
      // The process has ended, which closes the connection too.
    }
  }
}

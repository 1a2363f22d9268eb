package dev.purgatory.kafka;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers MBeans. Failures are logged and have no other effect. */
final class MBeans {
  private static final Logger LOG = LoggerFactory.getLogger(MBeans.class);

  private MBeans() {}

  /** Registers the bean and replaces any bean of the same name. */
  static void register(String name, Object bean) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      unregister(name);
      server.registerMBean(bean, new ObjectName(name));
    } catch (JMException | JMRuntimeException e) {
      LOG.warn("{} cannot be registered", name, e);
    }
  }

  static void unregister(String name) {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(name));
    } catch (InstanceNotFoundException e) {
      LOG.debug("{} is not registered", name, e);
    } catch (JMException | JMRuntimeException e) {
      LOG.warn("{} cannot be unregistered", name, e);
    }
  }
}

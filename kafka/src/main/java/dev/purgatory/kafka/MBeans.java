package dev.purgatory.kafka;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers figures. That it fails is logged, and harms nothing else. */
final class MBeans {
  private static final Logger LOG = LoggerFactory.getLogger(MBeans.class);

  private MBeans() {}

  /** Registers the bean, in place of one that has the name already. */
  static void register(String name, Object bean) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      unregister(name);
      server.registerMBean(bean, new ObjectName(name));
    } catch (JMException e) {
      LOG.warn("{} cannot be registered", name, e);
    }
  }

  static void unregister(String name) {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(name));
    } catch (InstanceNotFoundException e) {
      LOG.debug("{} is not registered", name, e);
    } catch (JMException e) {
      LOG.warn("{} cannot be unregistered", name, e);
    }
  }
}

package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import dev.purgatory.micrometer.PurgatoryGauges;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Publishes the gauges of the application's own purgatories, by the names of their beans, until the
 * context is closed. Those that have metrics already, as those of the properties, keep these.
 */
final class PurgatoryGaugesOfBeans
    implements BeanPostProcessor, SmartInitializingSingleton, DisposableBean {

  /*
   * The registry, or what sets it up, may depend on a purgatory. So purgatories are collected until all
   * singletons are made. A lazy one that is made later gets its gauges at once.
   */

  private final BeanFactory beans;
  private final ObjectProvider<MeterRegistry> registry;
  private final Map<String, Purgatory<?>> made = new ConcurrentHashMap<>();
  private final List<PurgatoryGauges> gauges = new CopyOnWriteArrayList<>();
  private volatile boolean started;

  PurgatoryGaugesOfBeans(BeanFactory beans, ObjectProvider<MeterRegistry> registry) {
    this.beans = beans;
    this.registry = registry;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof Purgatory<?> purgatory && isSingleton(name)) {
      made.put(name, purgatory);
      if (started) {
        publish();
      }
    }
    return bean;
  }

  private boolean isSingleton(String name) {
    return beans.containsBean(name) && beans.isSingleton(name);
  }

  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    publish();
  }

  private void publish() {
    MeterRegistry unique = registry.getIfUnique();
    made.forEach(
        (name, purgatory) -> {
          if (made.remove(name, purgatory) && unique != null) {
            gauges.add(new PurgatoryGauges(unique, name, purgatory));
          }
        });
  }

  @Override
  public void destroy() {
    gauges.forEach(PurgatoryGauges::close);
  }
}

package dev.purgatory.spring;

import dev.purgatory.Diagnostics;
import dev.purgatory.Purgatory;
import dev.purgatory.spring.PurgatoryProperties.Instance;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.beans.factory.BeanRegistry.SupplierContext;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.env.Environment;

/** Registers a bean for each purgatory of the properties. */
final class PurgatoryBeans implements BeanRegistrar {

  @Override
  public void register(BeanRegistry registry, Environment environment) {
    Binder.get(environment)
        .bindOrCreate(PurgatoryProperties.PREFIX, PurgatoryProperties.class)
        .instances()
        .forEach((name, instance) -> register(registry, name, instance));
  }

  private static void register(BeanRegistry registry, String name, Instance instance) {
    if (instance.diagnostics()) {
      registry.registerBean(diagnosticsOf(name), Diagnostics.class);
    }
    registry.registerBean(
        name,
        new ParameterizedTypeReference<Purgatory<?>>() {},
        bean ->
            bean.description("purgatory.instances." + name)
                .supplier(context -> create(context, name, instance)));
  }

  private static Purgatory<?> create(SupplierContext context, String name, Instance instance) {
    Diagnostics diagnostics =
        instance.diagnostics() ? context.bean(diagnosticsOf(name), Diagnostics.class) : null;
    return context.bean(PurgatoryFactory.class).create(name, instance, diagnostics);
  }

  private static String diagnosticsOf(String name) {
    return name + "Diagnostics";
  }
}

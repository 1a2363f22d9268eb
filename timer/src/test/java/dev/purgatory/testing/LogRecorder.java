package dev.purgatory.testing;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Records what the library logs, in place of the console. By reflection, as its modules do not
 * require java.logging.
 */
public final class LogRecorder implements AutoCloseable {
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final Class<?> loggerType = Class.forName("java.util.logging.Logger");
  private final Class<?> filterType = Class.forName("java.util.logging.Filter");
  private final Object logger =
      loggerType.getMethod("getLogger", String.class).invoke(null, "dev.purgatory");

  public LogRecorder() throws ReflectiveOperationException {
    setFilter(
        Proxy.newProxyInstance(
            filterType.getClassLoader(),
            new Class<?>[] {filterType},
            (proxy, method, arguments) -> {
              Object record = arguments[0];
              messages.add((String) record.getClass().getMethod("getMessage").invoke(record));
              return false;
            }));
  }

  /** Returns the messages until now, which grow. */
  public List<String> messages() {
    return messages;
  }

  @Override
  public void close() throws ReflectiveOperationException {
    setFilter(null);
  }

  private void setFilter(@Nullable Object filter) throws ReflectiveOperationException {
    loggerType.getMethod("setFilter", filterType).invoke(logger, filter);
  }
}

package dev.purgatory.base;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ThreadsTest {

  /** An application that uses a shared timer first, and so starts its thread. */
  public static final class Application implements Consumer<Timer> {
    public Application() {}

    @Override
    public void accept(Timer timer) {
      Timeout unused = timer.schedule(() -> {}, Duration.ofMillis(1));
    }
  }

  /** Loads the application. Everything else comes from its parent. */
  private static final class ApplicationLoader extends ClassLoader {
    ApplicationLoader() {
      super(ThreadsTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Application.class.getName()) || findLoadedClass(name) != null) {
        return super.loadClass(name, resolve);
      }
      String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
      try (InputStream input = requireNonNull(ThreadsTest.class.getResourceAsStream(file))) {
        byte[] bytes = input.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (Exception e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  private static WeakReference<ClassLoader> useFromALoader(Timer timer) throws Exception {
    ClassLoader loader = new ApplicationLoader();
    Class<?> loaded = loader.loadClass(Application.class.getName());
    assertThat(loaded.getClassLoader()).isSameAs(loader);
    @SuppressWarnings("unchecked") // as declared
    Consumer<Timer> application = (Consumer<Timer>) loaded.getConstructor().newInstance();
    Threads.start(() -> application.accept(timer)).join();
    return new WeakReference<>(loader);
  }

  @Test
  void threadThatAnApplicationStarted_outlivesIt_doesNotKeepItsLoader() throws Exception {
    try (Timer timer = Timer.builder().start("shared-clock")) {
      WeakReference<ClassLoader> loader = useFromALoader(timer);
      Timeout unused = timer.schedule(() -> {}, Duration.ofHours(1));
      Threads.until(
          () -> {
            System.gc();
            return loader.get() == null;
          });
      assertThat(Threads.isAlive("shared-clock")).isTrue();
    }
  }
}

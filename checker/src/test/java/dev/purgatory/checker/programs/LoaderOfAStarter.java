package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.function.Consumer;

/** A plug-in that has started the threads of a shared timer stays in memory while others use it. */
final class LoaderOfAStarter {
  private LoaderOfAStarter() {}

  /** The plug-in, which has a loader of its own. */
  public static final class Plugin implements Consumer<Timer> {
    @Override
    public void accept(Timer timer) {
      Purgatory<String> purgatory = Purgatory.builder("plugin", String.class).timer(timer).build();
      HeldFuture<String> future =
          purgatory.<String>untilCompleted().orAfter(Duration.ofMillis(1), () -> "").hold("key");
      String unused = future.join();
      purgatory.close();
    }
  }

  private static final class Loader extends ClassLoader {
    Loader() {
      super(LoaderOfAStarter.class.getClassLoader());
    }

    Class<?> define() throws IOException {
      String name = Plugin.class.getName();
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Timer timer =
        TimerView.idleNanos(Timer.builder(), Duration.ofMillis(10).toNanos()).start("shared");
    timer.schedule(() -> {}, Duration.ofMillis(1));
    boolean ended = Wait.until(() -> threads("shared") == 0);
    WeakReference<ClassLoader> loader = usePlugin(timer);
    Purgatory<String> other = Purgatory.builder("other", String.class).timer(timer).build();
    var unused = other.<String>untilCompleted().orTimeout(Duration.ofHours(1)).hold("key");
    for (int i = 0; i < 40 && loader.get() != null; i++) {
      unused = other.<String>untilCompleted().orTimeout(Duration.ofMillis(50)).hold("key");
      Thread.sleep(100);
      System.gc();
    }
    boolean inUse = threads("shared") == 1;
    System.out.println(
        "clock ended before: "
            + ended
            + ", in use: "
            + inUse
            + ", kept: "
            + (loader.get() != null));
  }

  private static WeakReference<ClassLoader> usePlugin(Timer timer) throws Exception {
    Loader loader = new Loader();
    @SuppressWarnings("unchecked")
    Consumer<Timer> plugin = (Consumer<Timer>) loader.define().getConstructor().newInstance();
    Thread thread = new Thread(() -> plugin.accept(timer));
    thread.start();
    thread.join();
    return new WeakReference<>(loader);
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .count();
  }
}

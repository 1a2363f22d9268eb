package dev.purgatory.benchmarks.broker;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import one.profiler.AsyncProfilerLoader;
import org.jspecify.annotations.Nullable;

/**
 * Profiles the processor time of another JVM with async-profiler. Samples are taken by the
 * processor time of each thread and include native code and the JVM's own threads.
 *
 * <p>That takes performance events of the kernel. Where these are not permitted, async-profiler
 * uses timers, which the kernel looks at when its own clock ticks, every 4 ms on most systems. The
 * threads of a timer wake at a tick of theirs, so each sample would then find them at the same
 * moment of that tick.
 */
final class Sampler {
  private static final String START = "start,event=cpu,interval=1ms";

  private static @Nullable Path library;

  private final String pid;
  private final Path folder;

  private Sampler(long pid, Path folder) {
    this.pid = Long.toString(pid);
    this.folder = folder;
  }

  /**
   * Starts sampling.
   *
   * @param pid the id of a process of the same user
   * @param folder the folder for the samples
   * @throws IOException if the profiler does not support this machine or cannot be loaded
   */
  static Sampler start(long pid, Path folder) throws IOException {
    Sampler sampler = new Sampler(pid, folder);
    sampler.command(START);
    return sampler;
  }

  /**
   * Stops sampling.
   *
   * @return the profile
   * @throws IOException if the process cannot be reached, or the samples cannot be written or read
   */
  Profile stop() throws IOException {
    Path file = folder.resolve("polls.collapsed").toAbsolutePath();
    command("stop,file=" + file + ",collapsed,dot,ann");
    return Profile.read(file);
  }

  private void command(String arguments) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(pid);
      try {
        machine.loadAgentPath(library().toString(), arguments);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
      throw new IOException("async-profiler cannot be loaded into process " + pid + ": " + e, e);
    }
  }

  /** Returns the profiler's library, which the first call extracts to a temporary folder. */
  private static synchronized Path library() throws IOException {
    if (library != null) {
      return library;
    }
    if (!AsyncProfilerLoader.isSupported()) {
      throw new IOException("async-profiler does not support this machine");
    }
    Path folder = Files.createTempDirectory("purgatory-profiler-");
    AsyncProfilerLoader.setExtractionDirectory(folder);
    try {
      library = AsyncProfilerLoader.getAsyncProfilerPath().toAbsolutePath();
    } catch (IllegalStateException e) {
      throw new IOException("async-profiler does not support this machine: " + e, e);
    }
    deleteOnExit(folder);
    return library;
  }

  /** Registers the folder before its files, since deletion happens in reverse order. */
  private static void deleteOnExit(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.forEach(file -> file.toFile().deleteOnExit());
    }
  }
}

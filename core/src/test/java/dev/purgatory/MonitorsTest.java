package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Handle;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Label;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Code that runs while a monitor is held reaches no lock, no thread and no user code: on JDK 21 to
 * 23, a virtual thread that waits in a monitor occupies its carrier. Reads the class files of the
 * timer and the core, and follows all calls.
 */
class MonitorsTest {

  /*
   * The compiler protects the code of a `synchronized` block by a handler that leaves the monitor and
   * throws on. So what such a handler covers runs in the monitor.
   *
   * A call goes to the method that it names, and to all methods of the core that override it. Lambdas are
   * not followed where they are made, but no functional interface may be called either.
   */

  /** What else may be called: it takes a few steps, or waits on the monitor, which releases it. */
  private static final Pattern ALLOWED =
      Pattern.compile(
          "java/lang/(Math|Long|Integer|Throwable|AssertionError|Record)\\..*"
              + "|java/lang/(Object|[A-Za-z]*(Exception|Error))\\.<init>"
              + "|java/lang/Object\\.(getClass|notify|notifyAll|wait)"
              + "|java/lang/System\\.(nanoTime|arraycopy)"
              + "|java/lang/Thread\\.(currentThread|getId|holdsLock)"
              + "|java/lang/invoke/VarHandle\\..*"
              + "|java/util/(ArrayList|ArrayDeque|List|Iterator|Arrays)\\.(<init>|of|add|get|set|size"
              + "|isEmpty|clear|copyOf|fill|iterator|hasNext|next|poll|peek|pollFirst)"
              + "|java/util/TreeSet\\.(add|remove|first|isEmpty)" // compares marks of the library
              + "|java/util/Objects\\.requireNonNull"
              + "|java/util/concurrent/TimeUnit\\.(timedWait|toNanos)"
              + "|java/util/concurrent/atomic/(Atomic|LongAdder)[A-Za-z]*\\.(<init>|get|set|add"
              + "|compareAndSet|getAndSet|increment[A-Za-z]*|decrement[A-Za-z]*|getAndIncrement|sum)");

  private static final Set<String> EXPORTED =
      Set.of(
          "dev/purgatory",
          "dev/purgatory/timer",
          "dev/purgatory/session",
          "dev/purgatory/throttle");

  /** A class, as far as it matters here. */
  private static final class Type {
    final String name;
    final Map<String, Method> methods = new HashMap<>();
    final List<String> parents = new ArrayList<>();
    int access;

    Type(String name) {
      this.name = name;
    }

    /** Returns whether users can write a class of this type. */
    boolean isOpen() {
      String folder = name.substring(0, name.lastIndexOf('/'));
      return (access & Opcodes.ACC_PUBLIC) != 0
          && (access & Opcodes.ACC_FINAL) == 0
          && EXPORTED.contains(folder);
    }
  }

  /**
   * A method, or a call of one.
   *
   * @param owner the internal name of the class
   * @param name the name with the descriptor
   */
  private record Call(String owner, String name) {
    @Override
    public String toString() {
      return owner + '.' + name.substring(0, name.indexOf('('));
    }
  }

  /** What a method calls. */
  private static final class Method {
    final int access;
    final Set<Call> calls = new HashSet<>();
    final Set<Call> callsInMonitors = new HashSet<>();

    Method(int access) {
      this.access = access;
    }

    boolean canBeOverridden() {
      int closed = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
      int visible = Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED;
      return (access & closed) == 0 && (access & visible) != 0;
    }
  }

  private final Map<String, Type> types = new HashMap<>();

  private void read(InputStream file) throws IOException {
    new ClassReader(file)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              private @Nullable Type type;

              @Override
              public void visit(
                  int version,
                  int access,
                  String name,
                  @Nullable String signature,
                  @Nullable String parent,
                  String[] interfaces) {
                Type read = new Type(name);
                read.access = access;
                if (parent != null) {
                  read.parents.add(parent);
                }
                read.parents.addAll(List.of(interfaces));
                types.put(name, read);
                type = read;
              }

              @Override
              public MethodVisitor visitMethod(
                  int access,
                  String name,
                  String descriptor,
                  @Nullable String signature,
                  String @Nullable [] exceptions) {
                Method method = new Method(access);
                requireNonNull(type).methods.put(name + descriptor, method);
                return new Reader(method);
              }
            },
            ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** Finds the calls of a method, and which of them are in a monitor. */
  private static final class Reader extends MethodVisitor {
    private record Handler(Label start, Label end, Label handler) {}

    private final Method method;
    private final Map<Label, Integer> places = new HashMap<>();
    private final List<Handler> handlers = new ArrayList<>();
    private final List<Integer> exits = new ArrayList<>();
    private final Map<Integer, Call> calls = new HashMap<>();
    private int at;

    Reader(Method method) {
      super(Opcodes.ASM9);
      this.method = method;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
      if (type == null) {
        handlers.add(new Handler(start, end, handler));
      }
    }

    @Override
    public void visitLabel(Label label) {
      places.put(label, at);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.MONITOREXIT) {
        exits.add(at);
      }
      at++;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean ofInterface) {
      calls.put(at++, new Call(owner, name + descriptor));
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
      at++;
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
      at++;
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
      at++;
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      at++;
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      at++;
    }

    @Override
    public void visitEnd() {
      method.calls.addAll(calls.values());
      for (Handler each : handlers) {
        int handler = place(each.handler());
        if (exits.contains(handler + 2)) { // store the exception, load the monitor, leave it
          calls.forEach(
              (call, target) -> {
                if (place(each.start()) <= call && call < place(each.end())) {
                  method.callsInMonitors.add(target);
                }
              });
        }
      }
    }

    private int place(Label label) {
      return requireNonNull(places.get(label));
    }
  }

  private void readCore() throws IOException {
    for (Class<?> each : List.of(Timer.class, Purgatory.class)) {
      Path place =
          Path.of(
              requireNonNull(each.getProtectionDomain().getCodeSource()).getLocation().getPath());
      if (Files.isDirectory(place)) {
        readAll(place);
      } else {
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
          readAll(jar.getPath("/"));
        }
      }
    }
  }

  private void readAll(Path classes) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      files.filter(file -> file.toString().endsWith(".class")).forEach(this::readFile);
    }
  }

  private void readFile(Path path) {
    try (InputStream file = Files.newInputStream(path)) {
      read(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what code in monitors calls, directly or not, and may not. */
  private Set<String> violations() {
    Set<String> violations = new TreeSet<>();
    for (Type type : types.values()) {
      type.methods.forEach(
          (name, method) -> {
            if (!method.callsInMonitors.isEmpty()) {
              follow(new Call(type.name, name), method.callsInMonitors, violations);
            }
          });
    }
    return violations;
  }

  private void follow(Call from, Set<Call> begin, Set<String> violations) {
    Deque<Call> next = new ArrayDeque<>(begin);
    Set<Call> seen = new HashSet<>(begin);
    for (Call call; (call = next.poll()) != null; ) {
      if (!types.containsKey(call.owner())) {
        if (!ALLOWED.matcher(call.toString()).matches()) {
          violations.add(from + " in a monitor calls " + call);
        }
        continue;
      }
      for (Call target : targets(call)) {
        Method method = method(target);
        if (requireNonNull(types.get(target.owner())).isOpen() && method.canBeOverridden()) {
          violations.add(from + " in a monitor calls what users can override, " + target);
        }
        for (Call each : method.calls) {
          if (seen.add(each)) {
            next.add(each);
          }
        }
      }
    }
  }

  private Method method(Call target) {
    return requireNonNull(requireNonNull(types.get(target.owner())).methods.get(target.name()));
  }

  /** Returns the methods that a call may run. Inherited ones of the JDK are not among them. */
  private List<Call> targets(Call call) {
    List<Call> targets = new ArrayList<>();
    for (Type type = types.get(call.owner()); type != null; type = types.get(type.parents.get(0))) {
      if (type.methods.containsKey(call.name())) {
        targets.add(new Call(type.name, call.name()));
        break;
      }
    }
    for (Type type : types.values()) {
      if (type.methods.containsKey(call.name()) && isBelow(type, call.owner())) {
        targets.add(new Call(type.name, call.name()));
      }
    }
    return targets;
  }

  private boolean isBelow(Type type, String ancestor) {
    for (String parent : type.parents) {
      Type above = types.get(parent);
      if (parent.equals(ancestor) || (above != null && isBelow(above, ancestor))) {
        return true;
      }
    }
    return false;
  }

  @Test
  void codeInMonitors_reachesNoLockThreadOrUserCode() throws IOException {
    readCore();
    assertThat(types.values().stream().flatMap(type -> type.methods.values().stream()))
        .as("methods that call others in monitors")
        .filteredOn(method -> !method.callsInMonitors.isEmpty())
        .hasSizeGreaterThan(10);
    assertThat(violations()).isEmpty();
  }

  /** What the test must find. */
  static final class Mistakes {
    private final Timer timer;
    private final Runnable callback;

    Mistakes(Timer timer, Runnable callback) {
      this.timer = timer;
      this.callback = callback;
    }

    boolean schedules(boolean early) {
      synchronized (this) {
        if (early) {
          return false; // leaves the monitor here, too
        }
        timer.schedule(() -> {}, Duration.ofSeconds(1));
      }
      return true;
    }

    void callsBack() {
      synchronized (this) {
        indirectly();
      }
    }

    private void indirectly() {
      callback.run();
    }

    void outside() {
      synchronized (this) {
        requireNonNull(callback);
      }
      callback.run();
    }
  }

  @Test
  void mistakes_areFound() throws IOException {
    readCore();
    String name = Mistakes.class.getName().replace('.', '/');
    try (InputStream file = Mistakes.class.getResourceAsStream("MonitorsTest$Mistakes.class")) {
      read(requireNonNull(file));
    }
    assertThat(violations())
        .contains(
            name + ".schedules in a monitor calls java/util/concurrent/locks/ReentrantLock.lock",
            name + ".callsBack in a monitor calls java/lang/Runnable.run")
        .noneMatch(each -> each.startsWith(name + ".outside"));
  }
}

package dev.purgatory.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares the drop-in with the broker's own copies of the classes that it replaces. Brokers are
 * compiled against these, so each of their members must exist. Reads class files and loads no
 * class.
 */
final class Fit {
  private static final String PURGATORY = "org.apache.kafka.server.purgatory.";
  private static final String TIMER = "org.apache.kafka.server.util.timer.";

  /** The classes that the drop-in replaces: binary names, also of nested classes of Kafka's API. */
  static final List<String> REPLACED =
      List.of(
          PURGATORY + "DelayedOperation",
          PURGATORY + "DelayedOperation$Action",
          PURGATORY + "DelayedOperationPurgatory",
          TIMER + "Timer",
          TIMER + "SystemTimer",
          TIMER + "SystemTimerReaper",
          TIMER + "TimerTask",
          TIMER + "TimerTaskEntry");

  private static final int SYNTHETIC = 0x1000;

  /** What classes that use or extend a class rely on. These constants are no reflection. */
  private static final int RELEVANT =
      Modifier.PUBLIC
          | Modifier.PROTECTED
          | Modifier.STATIC
          | Modifier.FINAL
          | Modifier.ABSTRACT
          | Modifier.INTERFACE;

  private final ClassLoader loader;
  private final Map<String, Optional<ClassFile>> files = new HashMap<>();

  Fit(ClassLoader loader) {
    this.loader = loader;
  }

  /**
   * Returns the first reason why the drop-in cannot replace the broker's classes; empty if it can.
   */
  Optional<String> misfit() throws IOException {
    String own = path(DropIn.class.getName().replace('.', '/'));
    String jar = String.valueOf(loader.getResource(own)).replace(own, "");
    for (String name : REPLACED) {
      String binary = name.replace('.', '/');
      List<URL> copies = Collections.list(loader.getResources(path(binary)));
      if (copies.isEmpty() || !copies.get(0).toString().startsWith(jar)) {
        return Optional.of("another " + name + " comes first: " + copies);
      }
      if (copies.size() == 1) {
        return Optional.of("it has no " + name);
      }
      for (URL copy : copies.subList(1, copies.size())) {
        try (InputStream stream = copy.openStream()) {
          String difference = difference(ClassFile.read(stream), binary);
          if (difference != null) {
            return Optional.of(name + " of " + copy + " has " + difference + " in the drop-in");
          }
        }
      }
    }
    return Optional.empty();
  }

  private @Nullable String difference(ClassFile theirs, String name) throws IOException {
    ClassFile ours = find(name).orElseThrow();
    if (differ(theirs.access(), ours.access())) {
      return "another kind of class than";
    }
    for (String supertype : theirs.supertypes()) {
      if (!isA(name, supertype)) {
        return "the supertype " + supertype + ", which is not one";
      }
    }
    for (Map.Entry<String, Integer> member : theirs.members().entrySet()) {
      int access = member.getValue();
      if ((access & (Modifier.PRIVATE | SYNTHETIC)) == 0) {
        Integer found = access(name, member.getKey());
        if (found == null || differ(access, found)) {
          return "the member " + member.getKey() + ", which is missing or of another kind";
        }
      }
    }
    for (Map.Entry<String, Integer> member : ours.members().entrySet()) {
      if ((member.getValue() & Modifier.ABSTRACT) != 0
          && !theirs.members().containsKey(member.getKey())) {
        return "no member " + member.getKey() + ", which is abstract";
      }
    }
    return null;
  }

  private static boolean differ(int access, int other) {
    return ((access ^ other) & RELEVANT) != 0;
  }

  /** Returns the class that the JVM would load. */
  Optional<ClassFile> find(String name) throws IOException {
    Optional<ClassFile> known = files.get(name);
    if (known == null) {
      try (InputStream stream = loader.getResourceAsStream(path(name))) {
        known = stream == null ? Optional.empty() : Optional.of(ClassFile.read(stream));
      }
      files.put(name, known);
    }
    return known;
  }

  /** Returns the access flags of a member of a class or its supertypes; null if it has none. */
  @Nullable Integer access(String name, String member) throws IOException {
    ClassFile file = find(name).orElse(null);
    if (file == null) {
      return null;
    }
    Integer found = file.members().get(member);
    for (int i = 0; found == null && i < file.supertypes().size(); i++) {
      found = access(file.supertypes().get(i), member);
    }
    return found;
  }

  /** Returns whether a class is another one or extends it. */
  boolean isA(String name, String other) throws IOException {
    if (name.equals(other)) {
      return true;
    }
    for (String supertype : find(name).map(ClassFile::supertypes).orElse(List.of())) {
      if (isA(supertype, other)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the drop-in replaces a class or one that it extends. */
  boolean isReplaced(String name) throws IOException {
    if (name.startsWith("java/")) {
      return false; // saves reading most of the JDK
    }
    for (String replaced : REPLACED) {
      if (isA(name, replaced.replace('.', '/'))) {
        return true;
      }
    }
    return false;
  }

  private static String path(String name) {
    return name + ".class";
  }
}

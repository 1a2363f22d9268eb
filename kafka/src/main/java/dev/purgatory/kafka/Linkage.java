package dev.purgatory.kafka;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Checks each class of the class path that uses or extends a class that the drop-in replaces: all
 * members that it uses must exist. Needs no broker:
 *
 * <pre>{@code
 * java -cp '/opt/purgatory/purgatory-kafka.jar:/opt/kafka/libs/*' dev.purgatory.kafka.Linkage
 * }</pre>
 */
public final class Linkage {
  private final Fit fit = new Fit(Linkage.class.getClassLoader());
  private int classes;
  private int uses;

  private Linkage() {}

  /**
   * Prints Kafka's version, and the number of classes and of used members. Exits with 1 if the jar
   * does not fit.
   */
  public static void main(String[] args) throws IOException {
    DropIn.misfit(Linkage.class.getClassLoader()).ifPresent(Linkage::fail);
    Linkage linkage = new Linkage();
    for (String jar : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      linkage.check(jar);
    }
    System.out.println("version=" + DropIn.KAFKA);
    System.out.println("classes=" + linkage.classes);
    System.out.println("uses=" + linkage.uses);
  }

  private static void fail(String reason) {
    System.out.println("misfit=" + reason);
    System.exit(1);
  }

  private void check(String jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar)) {
      if (zip.getEntry(DropIn.class.getName().replace('.', '/') + ".class") != null) {
        return; // the drop-in itself
      }
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (entry.getName().endsWith(".class") && !isCopy(entry.getName())) {
          try (InputStream stream = zip.getInputStream(entry)) {
            check(ClassFile.read(stream));
          }
        }
      }
    }
  }

  /** Returns whether a class, or the one around it, is one that the drop-in replaces. */
  private static boolean isCopy(String file) {
    return Fit.REPLACED.contains(file.replaceFirst("(\\$.*)?\\.class", "").replace('/', '.'));
  }

  private void check(ClassFile file) throws IOException {
    int before = uses;
    for (ClassFile.Use use : file.uses()) {
      if (fit.isReplaced(use.owner())) {
        uses++;
        if (fit.access(use.owner(), use.member()) == null) {
          fail(file.name() + " uses " + use.owner() + "." + use.member() + ", which is missing");
        }
      }
    }
    if (uses > before) {
      classes++;
    }
  }
}

package dev.purgatory.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The part of a class file that linkage depends on. Class names are binary names with slashes.
 *
 * @param name the class
 * @param access its access flags
 * @param supertypes its superclass and interfaces
 * @param members the access flags of its fields, as {@code name:type}, and of its methods, as
 *     {@code name(types)type}
 * @param uses the members that it refers to, its own ones included
 */
record ClassFile(
    String name, int access, List<String> supertypes, Map<String, Integer> members, Set<Use> uses) {

  /**
   * A reference to a member.
   *
   * @param owner the class in which the JVM begins to look for it
   * @param member the member, as in {@link #members}
   */
  record Use(String owner, String member) {}

  /**
   * Reads a class file.
   *
   * @throws IOException if it cannot be read
   */
  static ClassFile read(InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    in.skipNBytes(8); // the magic number and the version
    Constants constants = Constants.read(in);
    int access = in.readUnsignedShort();
    String name = constants.className(in.readUnsignedShort());
    List<String> supertypes = new ArrayList<>();
    int superclass = in.readUnsignedShort();
    if (superclass != 0) {
      supertypes.add(constants.className(superclass));
    }
    for (int i = in.readUnsignedShort(); i > 0; i--) {
      supertypes.add(constants.className(in.readUnsignedShort()));
    }
    Map<String, Integer> members = new HashMap<>();
    readMembers(in, constants, members); // the fields
    readMembers(in, constants, members); // the methods
    return new ClassFile(name, access, supertypes, members, constants.uses());
  }

  private static void readMembers(
      DataInputStream in, Constants constants, Map<String, Integer> members) throws IOException {
    for (int i = in.readUnsignedShort(); i > 0; i--) {
      int access = in.readUnsignedShort();
      String name = constants.texts[in.readUnsignedShort()];
      members.put(member(name, constants.texts[in.readUnsignedShort()]), access);
      for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
        in.skipNBytes(2);
        in.skipNBytes(in.readInt());
      }
    }
  }

  private static String member(String name, String type) {
    return type.startsWith("(") ? name + type : name + ":" + type;
  }

  /** The constant pool. An entry is a text, or refers to one or two others. */
  private static final class Constants {
    final byte[] tags;
    final String[] texts;
    final int[] first;
    final int[] second;

    private Constants(int size) {
      tags = new byte[size];
      texts = new String[size];
      first = new int[size];
      second = new int[size];
    }

    static Constants read(DataInputStream in) throws IOException {
      int size = in.readUnsignedShort();
      Constants pool = new Constants(size);
      for (int i = 1; i < size; i++) {
        pool.tags[i] = in.readByte();
        switch (pool.tags[i]) {
          case 1 -> pool.texts[i] = in.readUTF();
          case 3, 4 -> in.skipNBytes(4);
          case 5, 6 -> {
            in.skipNBytes(8);
            i++; // long and double take two entries
          }
          case 7, 8, 16, 19, 20 -> pool.first[i] = in.readUnsignedShort();
          case 9, 10, 11, 12, 17, 18 -> {
            pool.first[i] = in.readUnsignedShort();
            pool.second[i] = in.readUnsignedShort();
          }
          case 15 -> in.skipNBytes(3);
          default -> throw new IOException("a constant of unknown kind " + pool.tags[i]);
        }
      }
      return pool;
    }

    String className(int index) {
      return texts[first[index]];
    }

    Set<Use> uses() {
      Set<Use> uses = new HashSet<>();
      for (int i = 1; i < tags.length; i++) {
        if (tags[i] >= 9 && tags[i] <= 11) { // a field, a method, a method of an interface
          int member = second[i];
          uses.add(new Use(className(first[i]), member(className(member), texts[second[member]])));
        }
      }
      return uses;
    }
  }
}

package dev.purgatory.kafka;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Describes a class as its users see it, one line per member: modifiers, erased types, thrown
 * exceptions. Inherited members are included, so it does not matter which class declares a member.
 */
final class Signatures {
  private Signatures() {}

  /** Returns everything that other packages can link to or extend. */
  static NavigableSet<String> exported(Class<?> type) {
    NavigableSet<String> lines = members(type, Signatures::isExported);
    lines.add("is " + modifiers(type.getModifiers()) + (type.isInterface() ? "" : "class"));
    supertypes(type).forEach(supertype -> lines.add("is a " + supertype.getName()));
    Arrays.stream(type.getDeclaredClasses())
        .filter(nested -> (nested.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
        .forEach(nested -> lines.add("has " + nested.getName()));
    return lines;
  }

  /** Returns the members that only classes and tests of the same package can link to. */
  static NavigableSet<String> packagePrivate(Class<?> type) {
    return members(type, Signatures::isPackagePrivate);
  }

  private static NavigableSet<String> members(Class<?> type, Predicate<Member> wanted) {
    Map<String, String> lines = new TreeMap<>();
    Stream.of(type.getDeclaredConstructors())
        .filter(wanted)
        .forEach(constructor -> lines.put("new" + parameters(constructor), describe(constructor)));
    // From the class upwards, so that an overriding member takes precedence.
    for (Class<?> declaring : lineage(type).toList()) {
      Stream.of(declaring.getDeclaredFields())
          .filter(wanted)
          .forEach(field -> lines.putIfAbsent(field.getName(), describe(field)));
      Stream.of(declaring.getDeclaredMethods())
          .filter(wanted)
          .forEach(method -> lines.putIfAbsent(key(method), describe(method)));
    }
    return new TreeSet<>(lines.values());
  }

  private static Stream<Class<?>> lineage(Class<?> type) {
    return Stream.concat(Stream.of(type), supertypes(type).filter(t -> t != Object.class));
  }

  private static Stream<Class<?>> supertypes(Class<?> type) {
    Stream<Class<?>> direct =
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
    return direct.flatMap(t -> Stream.concat(Stream.of(t), supertypes(t))).distinct();
  }

  private static boolean isExported(Member member) {
    return !member.isSynthetic()
        && (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
  }

  private static boolean isPackagePrivate(Member member) {
    int visibility = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE;
    return !member.isSynthetic() && (member.getModifiers() & visibility) == 0;
  }

  private static String key(Method method) {
    return method.getName() + parameters(method) + method.getReturnType().getName();
  }

  private static String describe(Constructor<?> constructor) {
    return modifiers(constructor.getModifiers() & Modifier.constructorModifiers())
        + constructor.getDeclaringClass().getSimpleName()
        + parameters(constructor)
        + exceptions(constructor);
  }

  private static String describe(Field field) {
    return modifiers(field.getModifiers()) + field.getType().getName() + " " + field.getName();
  }

  private static String describe(Method method) {
    return modifiers(method.getModifiers() & Modifier.methodModifiers())
        + method.getReturnType().getName()
        + " "
        + method.getName()
        + parameters(method)
        + exceptions(method);
  }

  /** Omits modifiers that do not matter to users, such as {@code synchronized}. */
  private static String modifiers(int modifiers) {
    int shown = modifiers & ~(Modifier.SYNCHRONIZED | Modifier.VOLATILE | Modifier.NATIVE);
    return shown == 0 ? "" : Modifier.toString(shown) + " ";
  }

  private static String parameters(Executable executable) {
    return names(executable.getParameterTypes(), "(", ")");
  }

  private static String exceptions(Executable executable) {
    Class<?>[] thrown = executable.getExceptionTypes();
    return thrown.length == 0 ? "" : names(thrown, " throws ", "");
  }

  private static String names(Class<?>[] types, String before, String after) {
    return Stream.of(types).map(Class::getName).collect(Collectors.joining(", ", before, after));
  }
}

package dev.purgatory.checker;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects that are strongly reachable from some others. The traversal reads the fields of the
 * library's classes and the elements of the JDK's collections. It ends at classes, class loaders,
 * threads and other objects of the JDK. Other threads may change the objects during a walk: the
 * result is then somewhere between before and after.
 */
final class Reachable {
  private static final ClassValue<List<Field>> REFERENCES =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return references(type);
        }
      };

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ArrayDeque<Object> ahead = new ArrayDeque<>();
  private long slots;

  private Reachable() {}

  /**
   * Traverses all reachable objects.
   *
   * @param roots where the traversal begins
   * @param border objects that are neither counted nor traversed
   */
  static Reachable from(Collection<?> roots, Collection<?> border) {
    Reachable reachable = new Reachable();
    reachable.seen.addAll(border);
    roots.forEach(reachable::meet);
    for (Object next; (next = reachable.ahead.poll()) != null; ) {
      reachable.lookInto(next);
    }
    reachable.seen.removeAll(border);
    return reachable;
  }

  /** Returns the number of objects plus the number of elements of arrays of references. */
  long size() {
    return seen.size() + slots;
  }

  /** Returns the objects of a type. */
  <T> Stream<T> instances(Class<T> type) {
    return seen.stream().filter(type::isInstance).map(type::cast);
  }

  private void meet(Object object) {
    boolean end =
        object instanceof Class || object instanceof ClassLoader || object instanceof Thread;
    if (!end && seen.add(object)) {
      ahead.add(object);
    }
  }

  private void meetNullable(@Nullable Object object) {
    if (object != null) {
      meet(object);
    }
  }

  private void lookInto(Object object) {
    if (object instanceof Object[] array) {
      slots += array.length;
      Stream.of(array).forEach(this::meetNullable);
    } else if (object instanceof Map<?, ?> map) {
      meetAll(map.keySet());
      meetAll(map.values());
    } else if (object instanceof Collection<?> collection) {
      meetAll(collection);
    } else if (object instanceof AtomicReference<?> reference) {
      meetNullable(reference.get());
    } else if (object instanceof ThreadPoolExecutor pool) {
      meet(pool.getQueue());
    } else if (!(object instanceof Reference)) {
      lookIntoFields(object);
    }
  }

  /** Copies the collection first: an iterator would fail if another thread changes it. */
  private void meetAll(Collection<?> collection) {
    Stream.of(collection.toArray()).forEach(this::meetNullable);
  }

  private void lookIntoFields(Object object) {
    for (Field field : REFERENCES.get(object.getClass())) {
      try {
        meetNullable(field.get(object));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Returns the reference fields of a class. Those of the JDK are not accessible. */
  private static List<Field> references(Class<?> type) {
    List<Field> references = new ArrayList<>();
    for (Class<?> each = type; each != null && !isOfJdk(each); each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          field.setAccessible(true);
          references.add(field);
        }
      }
    }
    return references;
  }

  private static boolean isOfJdk(Class<?> type) {
    return type.getClassLoader() == null;
  }
}

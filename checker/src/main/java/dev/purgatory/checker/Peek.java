package dev.purgatory.checker;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads private fields, so that what is checked needs no openings for it. */
public final class Peek {
  private static final ClassValue<Map<String, Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected Map<String, Field> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private Peek() {}

  /**
   * Reads a field that is not null.
   *
   * @throws IllegalStateException if there is no such field, or it is null
   */
  public static <T> T at(Object target, String field, Class<T> type) {
    T value = orNull(target, field, type);
    if (value == null) {
      throw new IllegalStateException(field + " of " + target + " is null");
    }
    return value;
  }

  /** Reads a field. */
  public static <T> @Nullable T orNull(Object target, String field, Class<T> type) {
    try {
      return type.cast(
          FIELDS
              .get(target.getClass())
              .computeIfAbsent(field, name -> open(target.getClass(), name))
              .get(target));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Field open(Class<?> type, String name) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    throw new IllegalStateException(type + " has no field " + name);
  }
}

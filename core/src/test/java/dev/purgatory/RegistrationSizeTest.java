package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

/** A registration is the one object that is kept for each operation. */
class RegistrationSizeTest {
  private static final int HEADER = 12;
  private static final int ALIGNMENT = 8;

  @Test
  void registration_takes48Bytes() {
    int bytes = HEADER;
    for (Class<?> each = Registration.class; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          bytes += bytes(field.getType());
        }
      }
    }
    assertThat((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT).isEqualTo(48);
  }

  /** Returns the size of a field, with compressed references. */
  private static int bytes(Class<?> type) {
    if (type == long.class || type == double.class) {
      return Long.BYTES;
    }
    assertThat(type == int.class || !type.isPrimitive()).as("%s", type).isTrue();
    return Integer.BYTES;
  }
}

package dev.purgatory.benchmarks.measure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings of a measurement, such as its duration. */
record Settings(Map<String, String> values) {

  /** Parses arguments in the form {@code name=value}. */
  static Settings parse(List<String> arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("not name=value: " + argument);
      }
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    return new Settings(values);
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("missing setting: " + name);
    }
    return value;
  }

  int number(String name) {
    return Integer.parseInt(text(name));
  }

  int number(String name, int otherwise) {
    return values.containsKey(name) ? number(name) : otherwise;
  }

  Duration millis(String name) {
    return Duration.ofMillis(number(name));
  }

  List<String> texts(String name) {
    return List.of(text(name).split(","));
  }

  List<Integer> numbers(String name) {
    return texts(name).stream().map(Integer::valueOf).toList();
  }
}

package dev.purgatory.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** Reads the version of Purgatory from the manifest of the jar. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    @Nullable String built = Version.class.getPackage().getImplementationVersion();
    return new String[] {"purgatory " + (built == null ? "(not built as a jar)" : built)};
  }
}

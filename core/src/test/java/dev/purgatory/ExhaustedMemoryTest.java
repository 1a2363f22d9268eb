package dev.purgatory;

import dev.purgatory.testing.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Tests what goes on after there was no memory. */
@Tag("long")
class ExhaustedMemoryTest {
  @TempDir private Path folder;

  @RepeatedTest(4)
  void memoryIsExhausted_handlersOfErrorsAreCold_laterTimeoutsAreAnswered() throws Exception {
    ChildJvm.run(folder, List.of("-Xmx24m", "-XX:+UseG1GC"), ExhaustedMemory.class);
  }
}

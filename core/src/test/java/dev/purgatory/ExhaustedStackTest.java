package dev.purgatory;

import dev.purgatory.testing.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a recursion that calls the library until its stack is exhausted leaves no damage. */
class ExhaustedStackTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"-XX:+TieredCompilation, 2", "-XX:TieredStopAtLevel=1, 2", "-Xint, 1"})
  void stackIsExhaustedInTheLibrary_nothingIsLostAndNothingIsLeft(String mode, String rounds)
      throws Exception {
    ChildJvm.run(folder, List.of(mode), ExhaustedStack.class, rounds);
  }
}

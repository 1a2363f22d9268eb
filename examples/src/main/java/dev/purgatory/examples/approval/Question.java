package dev.purgatory.examples.approval;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a person is asked.
 *
 * @param text the question
 * @param askedBy which agent asks
 * @param deadline when it is declined if nobody has decided; null: it waits without a limit
 */
record Question(String text, String askedBy, @Nullable Instant deadline) {}

/**
 * Presents results: one table form, a few charts, and the published page.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.report.Publication}, {@code Page}, {@code
 * Line}, {@code Contest}, which says what may be compared, {@link
 * dev.purgatory.benchmarks.report.ResultTable}, {@code Chart}.
 */
@NullMarked
package dev.purgatory.benchmarks.report;

import org.jspecify.annotations.NullMarked;

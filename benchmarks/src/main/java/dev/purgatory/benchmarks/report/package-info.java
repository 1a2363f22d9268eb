/**
 * Presents results as SVG charts, as an HTML page, and as tables in text and Markdown.
 *
 * <p>Start reading at {@link dev.purgatory.benchmarks.report.Report}. Rows are grouped into {@link
 * dev.purgatory.benchmarks.report.Panel panels}, each of which becomes a chart and a table.
 */
@NullMarked
package dev.purgatory.benchmarks.report;

import org.jspecify.annotations.NullMarked;

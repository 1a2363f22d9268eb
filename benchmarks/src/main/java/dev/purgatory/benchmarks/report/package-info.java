/**
 * Makes results readable: charts as SVG, one HTML page, and tables of text.
 *
 * <p>Start reading at {@link dev.purgatory.benchmarks.report.Report}. Rows become {@link
 * dev.purgatory.benchmarks.report.Panel panels}, each of which is drawn once and tabulated once.
 */
@NullMarked
package dev.purgatory.benchmarks.report;

import org.jspecify.annotations.NullMarked;

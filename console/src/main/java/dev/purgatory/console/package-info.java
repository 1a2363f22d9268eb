/**
 * A page that shows what purgatories hold, why, and what is wrong with their signals: {@link
 * dev.purgatory.console.Console}.
 */
@NullMarked
package dev.purgatory.console;

import org.jspecify.annotations.NullMarked;

/** An extension for JUnit Jupiter, which this package requires at run time. */
@NullMarked
package dev.purgatory.testkit.junit;

import org.jspecify.annotations.NullMarked;

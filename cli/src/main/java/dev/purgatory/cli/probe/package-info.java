/** What the nodes' purgatories say of themselves, read over JMX from outside. */
@NullMarked
package dev.purgatory.cli.probe;

import org.jspecify.annotations.NullMarked;

/** Long polls over gRPC. */
@NullMarked
package dev.purgatory.examples.grpc;

import org.jspecify.annotations.NullMarked;

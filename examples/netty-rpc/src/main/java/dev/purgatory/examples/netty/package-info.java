/**
 * An RPC client over Netty. {@code NettyRpc} runs it, and {@code RpcClient} is how to write one.
 */
@NullMarked
package dev.purgatory.examples.netty;

import org.jspecify.annotations.NullMarked;

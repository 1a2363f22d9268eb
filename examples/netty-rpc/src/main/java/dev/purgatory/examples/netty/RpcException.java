package dev.purgatory.examples.netty;

/** An error that the server replied. */
final class RpcException extends Exception {
  private static final long serialVersionUID = 1;

  RpcException(String message) {
    super(message);
  }
}

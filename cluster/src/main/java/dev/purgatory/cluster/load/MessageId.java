package dev.purgatory.cluster.load;

import java.nio.ByteBuffer;

/**
 * Which message it is, among all of a run. Travels at the head of the message.
 *
 * @param producer the producer, from 0
 * @param sequence how many messages that producer had sent before
 */
record MessageId(int producer, int sequence) {
  /**
   * A message with this id.
   *
   * @param size its bytes, at least 8
   */
  byte[] toMessage(int size) {
    return ByteBuffer.allocate(size).putInt(producer).putInt(sequence).array();
  }

  /**
   * The id of a message.
   *
   * @param message what {@link #toMessage} made
   */
  static MessageId of(byte[] message) {
    ByteBuffer head = ByteBuffer.wrap(message);
    return new MessageId(head.getInt(), head.getInt());
  }

  /** For people. */
  @Override
  public String toString() {
    return "message " + sequence + " of producer " + producer;
  }
}

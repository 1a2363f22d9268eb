package dev.purgatory.cluster.load;

import java.nio.ByteBuffer;

/**
 * Identifies a message within a run. Each message begins with its id.
 *
 * @param producer the producer, from 0
 * @param sequence the producer's sequence number of the message, from 0
 */
record MessageId(int producer, int sequence) {
  /**
   * Creates a message with this id.
   *
   * @param size the size of the message in bytes, at least 8
   */
  byte[] toMessage(int size) {
    return ByteBuffer.allocate(size).putInt(producer).putInt(sequence).array();
  }

  /**
   * Returns the id of a message.
   *
   * @param message a message that {@link #toMessage} created
   */
  static MessageId of(byte[] message) {
    ByteBuffer head = ByteBuffer.wrap(message);
    return new MessageId(head.getInt(), head.getInt());
  }

  @Override
  public String toString() {
    return "message " + sequence + " of producer " + producer;
  }
}

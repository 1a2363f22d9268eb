package dev.purgatory.examples.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.MessageToMessageCodec;
import io.netty.handler.codec.TooLongFrameException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A request or a reply. On the wire: 4 bytes with the length of the rest, 8 bytes with the id, one
 * byte with the kind, and the text in UTF-8.
 *
 * @param id the id of the request, also in its reply
 * @param kind what it is
 * @param text the content, or the error message
 */
record Message(long id, Kind kind, String text) {
  private static final int LENGTH_BYTES = 4;
  private static final int HEADER_BYTES = 9;
  static final int MAX_FRAME_BYTES = 1 << 20;

  /** What a message is. */
  enum Kind {
    REQUEST('Q'),
    REPLY('R'),
    ERROR('E');

    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }

    private static Kind of(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new CorruptedFrameException("no kind of message: " + code);
    }
  }

  Message reply(String reply) {
    return new Message(id, Kind.REPLY, reply);
  }

  Message error(String error) {
    return new Message(id, Kind.ERROR, error);
  }

  /** Adds the handlers that turn bytes into messages and back. */
  static void addCodecs(ChannelPipeline pipeline) {
    pipeline.addLast(
        new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES),
        new LengthFieldPrepender(LENGTH_BYTES),
        new Codec());
  }

  private static final class Codec extends MessageToMessageCodec<ByteBuf, Message> {
    @Override
    protected void encode(ChannelHandlerContext context, Message message, List<Object> out) {
      int length = HEADER_BYTES + ByteBufUtil.utf8Bytes(message.text);
      if (length > MAX_FRAME_BYTES) { // fails this call; the receiver would close the connection
        throw new TooLongFrameException(length + " bytes, at most " + MAX_FRAME_BYTES);
      }
      ByteBuf frame = context.alloc().buffer(length);
      frame.writeLong(message.id).writeByte(message.kind.code);
      ByteBufUtil.writeUtf8(frame, message.text);
      out.add(frame);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf frame, List<Object> out) {
      if (frame.readableBytes() < HEADER_BYTES) {
        throw new CorruptedFrameException(frame.readableBytes() + " bytes are no message");
      }
      long id = frame.readLong();
      Kind kind = Kind.of(frame.readByte());
      out.add(new Message(id, kind, frame.toString(StandardCharsets.UTF_8)));
    }
  }
}

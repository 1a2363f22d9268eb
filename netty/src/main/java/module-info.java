/**
 * The timer as an {@code io.netty.util.Timer}.
 *
 * <p>Start reading at {@link dev.purgatory.netty.WheelTimer}.
 */
module dev.purgatory.netty {
  requires transitive dev.purgatory.timer;
  requires transitive io.netty.common;
  requires static transitive org.jspecify;

  exports dev.purgatory.netty;
}

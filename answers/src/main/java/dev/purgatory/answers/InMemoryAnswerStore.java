package dev.purgatory.answers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps answers in memory: for tests, and for a service with one instance. It forgets them when it
 * is garbage, and the oldest ones when there are too many.
 */
public final class InMemoryAnswerStore implements AnswerStore {

  // An answer is stored, then its followers are looked for. A follower is added, then its answer is
  // looked for. So one of the two threads sees the other; if both do, the second finds no follower.
  // Without memory, an answer may be stored and not delivered. Giving it again delivers it.

  private final Map<String, byte[]> answers;
  private final Followers followers = new Followers();
  private volatile boolean closed;

  /**
   * Creates a store without answers.
   *
   * @param most how many answers it keeps at most, 1 or more. With one more, the oldest is
   *     forgotten
   * @throws IllegalArgumentException if {@code most} is not positive
   */
  public InMemoryAnswerStore(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("keep at most " + most + " answers");
    }
    this.answers = Collections.synchronizedMap(new Latest(most));
  }

  private static final class Latest extends LinkedHashMap<String, byte[]> {
    private static final long serialVersionUID = 1;
    private final int most;

    Latest(int most) {
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
      return size() > most;
    }
  }

  @Override
  public String newId() {
    return UUID.randomUUID().toString();
  }

  @Override
  public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
    if (closed) {
      return CompletableFuture.failedFuture(Followers.closedException());
    }
    byte[] earlier = answers.putIfAbsent(id, answer.clone());
    byte[] first = earlier == null ? answer : earlier;
    followers.answer(id, first);
    return CompletableFuture.completedFuture(new Completion<>(earlier == null, first));
  }

  @Override
  public CompletableFuture<byte[]> follow(String id) {
    CompletableFuture<byte[]> follower = followers.add(id);
    byte[] answer = answers.get(id);
    if (answer != null) {
      followers.answer(id, answer);
    }
    return follower;
  }

  @Override
  public void close() {
    closed = true;
    followers.close();
  }
}

package dev.purgatory.races;

/** Programs. */
final class EssayPrograms {
  private EssayPrograms() {}
}

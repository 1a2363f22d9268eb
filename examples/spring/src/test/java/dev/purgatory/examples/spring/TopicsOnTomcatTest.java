package dev.purgatory.examples.spring;

class TopicsOnTomcatTest extends AbstractTopicsTest {
  TopicsOnTomcatTest() {
    super("servlet");
  }
}

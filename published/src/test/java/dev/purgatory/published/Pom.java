package dev.purgatory.published;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A POM that is read by XPath. */
final class Pom {
  private final Document document;

  private Pom(Document document) {
    this.document = document;
  }

  static Pom read(InputStream in) throws IOException {
    try {
      return new Pom(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in));
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(e);
    }
  }

  static Pom read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in);
    }
  }

  /** Returns the texts of all elements at a path below {@code project}. */
  List<String> texts(String path) {
    try {
      NodeList found =
          (NodeList)
              XPathFactory.newInstance()
                  .newXPath()
                  .evaluate("/project/" + path, document, XPathConstants.NODESET);
      return IntStream.range(0, found.getLength())
          .mapToObj(found::item)
          .map(Node::getTextContent)
          .map(String::strip)
          .toList();
    } catch (XPathExpressionException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  /** Returns the whole text. */
  String text() {
    return document.getDocumentElement().getTextContent();
  }
}

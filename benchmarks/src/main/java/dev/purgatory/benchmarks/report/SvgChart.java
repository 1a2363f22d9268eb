package dev.purgatory.benchmarks.report;

import java.awt.Dimension;
import java.awt.Rectangle;
import java.io.StringWriter;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.apache.batik.svggen.SVGSyntax;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Draws a chart as SVG, for a file or a page. Text remains text. */
final class SvgChart {
  /** The namespace of SVG, which is the only URL in a drawing. */
  static final String NAMESPACE = "http://www.w3.org/2000/svg";

  private static final int PRECISION = 2;
  private static final String FONT = "font-family";
  private static final String FONTS = "Verdana, 'DejaVu Sans', sans-serif";

  private SvgChart() {}

  /** Returns an {@code svg} element without an XML declaration. */
  static String of(Drawing drawing) {
    Document document = newDocument();
    SVGGraphics2D graphics = new SVGGraphics2D(context(document, drawing.id()), false);
    drawing.chart().get().draw(graphics, new Rectangle(drawing.size()));
    return text(root(graphics, drawing));
  }

  private static SVGGeneratorContext context(Document document, String id) {
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
    context.setIDGenerator(new PrefixedIds(id));
    context.setComment("");
    context.setPrecision(PRECISION);
    return context;
  }

  private static Element root(SVGGraphics2D graphics, Drawing drawing) {
    Dimension size = drawing.size();
    Element root = graphics.getRoot();
    root.setAttribute("viewBox", "0 0 " + size.width + " " + size.height);
    root.setAttribute("width", Integer.toString(size.width));
    root.setAttribute("height", Integer.toString(size.height));
    root.setAttribute("role", "img");
    begin(root, "desc", drawing.description());
    begin(root, "title", drawing.heading());
    removeSharedIds(root);
    setFonts(root);
    return root;
  }

  /** Inserts a text element for readers who do not see the drawing. */
  private static void begin(Element root, String name, String text) {
    Element element = root.getOwnerDocument().createElementNS(NAMESPACE, name);
    element.setTextContent(text);
    root.insertBefore(element, root.getFirstChild());
  }

  /** Removes an id that is the same in all drawings and is never referred to. */
  private static void removeSharedIds(Element root) {
    NodeList definitions = root.getElementsByTagName("defs");
    for (int i = 0; i < definitions.getLength(); i++) {
      Element element = (Element) definitions.item(i);
      if (element.getAttribute("id").equals(SVGSyntax.ID_PREFIX_GENERIC_DEFS)) {
        element.removeAttribute("id");
      }
    }
  }

  /** Sets fonts that are about as wide as the one with which the text was measured. */
  private static void setFonts(Element root) {
    NodeList elements = root.getElementsByTagName("*");
    for (int i = 0; i < elements.getLength(); i++) {
      Element element = (Element) elements.item(i);
      if (element.hasAttribute(FONT)) {
        element.setAttribute(FONT, FONTS);
      }
    }
  }

  private static Document newDocument() {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      return factory
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(NAMESPACE, "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this JDK does not support XML", e);
    }
  }

  private static String text(Element root) {
    StringWriter text = new StringWriter();
    try {
      TransformerFactory factory = TransformerFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      Transformer transformer = factory.newTransformer();
      transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
      transformer.transform(new DOMSource(root), new StreamResult(text));
    } catch (TransformerException e) {
      throw new IllegalStateException("cannot write the chart", e);
    }
    return text.toString();
  }

  /** Ensures that the ids of several drawings on one page are distinct. */
  private static final class PrefixedIds extends SVGIDGenerator {
    private final String prefix;

    PrefixedIds(String prefix) {
      this.prefix = prefix;
    }

    @Override
    public String generateID(String kind) {
      return prefix + "-" + super.generateID(kind);
    }
  }
}

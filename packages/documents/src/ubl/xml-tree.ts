import { SaxesParser } from 'saxes';
import { XML_MAX_CHARS, XML_MAX_ELEMENTS, XML_MAX_LEVELS } from '../limits.ts';

/** An element, with the name of its namespace and its own name. */
export interface XmlElement {
  namespace: string;
  name: string;
  attributes: ReadonlyMap<string, string>;
  text: string;
  children: XmlElement[];
}

/** Thrown for text that is no XML, or more of it than is read. The message is for people. */
export class XmlProblem extends Error {}

/**
 * Reads XML into a tree. Document type declarations are refused, so no entity is ever expanded or fetched, and what is read is bounded. Throws
 * XmlProblem.
 */
export function parseXml(xml: string): XmlElement {
  if (xml.length > XML_MAX_CHARS) throw new XmlProblem(`The XML has more than ${XML_MAX_CHARS} characters.`);
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let count = 0;
  parser.on('error', (error) => {
    throw new XmlProblem(`The XML is not well-formed: ${error.message.slice(0, 200)}`);
  });
  parser.on('doctype', () => {
    throw new XmlProblem('The XML has a document type declaration, which is not read.');
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (open.length >= XML_MAX_LEVELS || ++count > XML_MAX_ELEMENTS)
      throw new XmlProblem('The XML has too many elements, or too many levels.');
    const names = Object.values(attributes).map(({ local: name, value }): [string, string] => [name, value]);
    const element: XmlElement = { namespace: uri, name: local, attributes: new Map(names), text: '', children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const add = (text: string) => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  if (!root) throw new XmlProblem('The XML has no element.');
  return root;
}

/**
 * Reads the body of a write, JSON or XML, into names and values.
 * Which names a resource takes and what they may hold is checked later, by the account.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Body } from '../account/input.ts';
import { invalid } from '../request-error.ts';

// Values stay text: '00042' is not 42, and the fields know their own types.
const parser = new XMLParser({
  parseTagValue: false,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  // Without this the parser does not decode &#233;.
  htmlEntities: true,
  trimValues: true,
});

export function readBody(text: string, contentType: string | undefined, resource: string): Body {
  const xml = contentType === undefined ? text.trimStart().startsWith('<') : /\bxml\b/i.test(contentType);
  if (!xml && contentType !== undefined && !/\bjson\b/i.test(contentType)) {
    throw invalid('Content-type', `expected application/json or application/xml, got '${contentType}'`);
  }
  const read = xml ? readXml(text) : readJson(text);
  // Some clients send the record under the resource's name, as in responses.
  const inner = Object.keys(read).length === 1 ? read[resource] : undefined;
  return isRecord(inner) ? inner : read;
}

function readJson(text: string): Body {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw invalid('body', `expected JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  if (!isRecord(read)) throw invalid('body', 'expected a JSON object of fields');
  return read;
}

function readXml(text: string): Body {
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw invalid('body', `expected XML: ${valid.err.msg} in line ${valid.err.line}`);
  const document: unknown = parser.parse(text);
  // One root, whatever its name: <task>, or <request> around it.
  const root = isRecord(document) ? Object.values(document)[0] : undefined;
  if (root === '') return {};
  if (!isRecord(root)) throw invalid('body', 'expected an XML element with one element for each field');
  return root;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Serializes a record for a viewer: the fields of their role, joined with current names, as values, JSON or XML.
 * The tables define who may read what.
 */
import type { Data } from '../account/data.ts';
import type { Row } from '../account/records.ts';
import { encodeEntities } from './entities.ts';
import type { Field, Resource, Role, Viewer } from './resource.ts';

/** A record as it is sent: every value is a string, or null or '' if missing. */
export type WireRecord = Record<string, string | null>;

/** Quirks of the service that clients must handle. */
export interface Style {
  /** Plain-text fields contain HTML entities. */
  entities: boolean;
  /** The representation of a missing value: that of the field, always null, or always ''. */
  blanks: 'mixed' | 'null' | 'empty';
  /** E-mail addresses of clients have a `mailto:` prefix. */
  mailto: boolean;
  /** Dates as in the document, unset ones as `0000-00-00`, or all of them with a time. */
  dates: 'plain' | 'zero' | 'timed';
  /** Amounts as in the document, or with a comma between thousands. */
  amounts: 'plain' | 'grouped';
}

export interface Reader {
  readonly data: Data;
  readonly viewer: Viewer;
  readonly style: Style;
}

const chosen = new WeakMap<Resource, Map<string, readonly Field[]>>();

/** The fields that a role sees in a list, or in the response for one record, which is shorter for some resources. */
export function fieldsFor(resource: Resource, role: Role, shape: 'list' | 'member'): readonly Field[] {
  const byKey = chosen.get(resource) ?? new Map<string, readonly Field[]>();
  chosen.set(resource, byKey);
  const key = `${role} ${shape}`;
  let fields = byKey.get(key);
  if (fields === undefined) {
    const left = shape === 'member' ? (resource.listOnly ?? []) : [];
    fields = resource.fields.filter((field) => field.seenBy.includes(role) && !left.includes(field.name));
    byKey.set(key, fields);
  }
  return fields;
}

export function toValues(fields: readonly Field[], row: Row, reader: Reader): WireRecord {
  const record: WireRecord = {};
  for (const field of fields) {
    if (field.omit?.(row, reader.viewer)) continue;
    record[field.name] = writtenValue(field, row, reader);
  }
  return record;
}

/** Serializes many records with the same fields. The text around the values is built once. */
export function jsonWriter(fields: readonly Field[], reader: Reader): (row: Row) => string {
  // The first field is the id, which every role may read.
  const openings = fields.map((field, at) => `${at === 0 ? '{' : ','}"${field.name}":`);
  return (row) => {
    let json = '';
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at];
      if (field === undefined || field.omit?.(row, reader.viewer)) continue;
      const value = writtenValue(field, row, reader);
      if (value === null) json += `${openings[at]}null`;
      else if (field.script === 'plain' || !SPECIAL.test(value)) json += `${openings[at]}"${value}"`;
      else json += openings[at] + quote(value);
    }
    return `${json}}`;
  };
}

/** The same in XML: the elements of a record, without an enclosing element. */
export function xmlWriter(fields: readonly Field[], reader: Reader): (row: Row) => string {
  return (row) => {
    let xml = '';
    for (const field of fields) {
      if (!field.omit?.(row, reader.viewer)) xml += element(field.name, writtenValue(field, row, reader));
    }
    return xml;
  };
}

export function element(name: string, value: string | number | null): string {
  if (value === null || value === '') return `<${name}/>`;
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

function writtenValue(field: Field, row: Row, { data, style }: Reader): string | null {
  const value = field.read(row, data);
  if (field.script === 'plain' && (style.dates !== 'plain' || style.amounts !== 'plain')) {
    const respelled = respell(field.name, value, style);
    if (respelled !== undefined) return respelled;
  }
  if (value === null) {
    if (style.blanks === 'mixed') return field.blank;
    return style.blanks === 'null' ? null : '';
  }
  if (field.script !== 'text') return value;
  // Only for clients: the observed responses have no such prefix for people.
  const text = style.mailto && field.name === 'email' && 'website' in row ? `mailto:${value}` : value;
  return style.entities ? encodeEntities(text) : text;
}

function respell(name: string, value: string | null, { dates, amounts }: Style): string | undefined {
  const time = dates === 'timed' ? ' 00:00:00' : '';
  if (value === null) return dates === 'plain' || !name.startsWith('date') ? undefined : `0000-00-00${time}`;
  if (dates === 'timed' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return value + time;
  if (amounts === 'plain' || !/^-?\d{4,}\.\d+$/.test(value)) return undefined;
  return value.replace(/\d(?=(?:\d{3})+\.)/g, '$&,');
}

/** Quotes, backslashes, control characters and non-ASCII characters. */
const SPECIAL = /[^ !#-[\]-~]/;
const BEYOND_ASCII = /[\u0080-\uffff]/g;
/** Characters that XML 1.0 does not allow. */
const XML_FORBIDDEN = /[^\t\n\r -\ufffd]/g;
const XML_NEEDED = /[&<>\r]|[^\t\n -\ufffd]/;

/** JSON in ASCII, as many services send it. It also saves encoding a page of half a megabyte again. */
function quote(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escapeXml(text: string): string {
  if (!XML_NEEDED.test(text)) return text;
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // A bare carriage return would be read as a line feed.
      .replaceAll('\r', '&#13;')
      .replace(XML_FORBIDDEN, '')
  );
}

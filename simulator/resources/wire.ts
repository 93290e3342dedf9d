/**
 * Turns a record into what a viewer reads: the fields of their role, joined with the names of today, as values, JSON or XML.
 * Decides nothing about who may read what; that is said in the tables.
 */
import type { Data } from '../account/data.ts';
import type { Row } from '../account/records.ts';
import { encodeEntities } from './entities.ts';
import type { Field, Resource, Role, Viewer } from './resource.ts';

/** A record as it travels: every value a string, or null or '' for none. */
export type WireRecord = Record<string, string | null>;

/** Habits of the service that a client has to live with. */
export interface Style {
  /** Plain-text fields carry HTML entities. */
  entities: boolean;
  /** What stands for no value: as the field has it, always null, or always ''. */
  blanks: 'mixed' | 'null' | 'empty';
  /** E-mail addresses of clients carry a `mailto:` prefix. */
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

/** The fields a role sees in a list, or in a member answer, which some resources keep shorter. */
export function fieldsFor(resource: Resource, role: Role, shape: 'list' | 'member'): readonly Field[] {
  const known = chosen.get(resource) ?? new Map<string, readonly Field[]>();
  chosen.set(resource, known);
  const key = `${role} ${shape}`;
  let fields = known.get(key);
  if (fields === undefined) {
    const left = shape === 'member' ? (resource.listOnly ?? []) : [];
    fields = resource.fields.filter((field) => field.seenBy.includes(role) && !left.includes(field.name));
    known.set(key, fields);
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

/** A writer of many records of the same fields: what stands around the values is put together once. */
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

/** The same in XML: the elements of a record, without one around them. */
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
  // Only the client's address: people have none in the answers this was seen in.
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

/** Quotes, backslashes, control characters, and all beyond ASCII. */
const SPECIAL = /[^ !#-[\]-~]/;
const BEYOND_ASCII = /[\u0080-\uffff]/g;
/** Characters no XML 1.0 document may hold. */
const XML_FORBIDDEN = /[^\t\n\r -\ufffd]/g;
const XML_NEEDED = /[&<>\r]|[^\t\n -\ufffd]/;

/** JSON in ASCII, as many services write it: also what lets a page of half a megabyte be sent without being encoded again. */
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

/**
 * The envelope of every response in JSON and XML: person, status, count and records.
 * Serializes records; the caller selects them.
 */
import type { Row } from '../account/records.ts';
import type { RequestError } from '../request-error.ts';
import type { Field, Role } from '../resources/resource.ts';
import { element, jsonWriter, type Reader, xmlWriter } from '../resources/wire.ts';
import type { Quirks } from '../switches.ts';
import type { QuotaState } from './allowance.ts';

export type Format = 'json' | 'xml';

export interface SimulatorResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Means "no limit" in a field where the service sends a number. */
const UNLIMITED = 1_000_000_000;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  418: 'Banned',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

type Value = string | number | null;

export class Envelope {
  readonly #quirks: Quirks;
  readonly format: Format;

  constructor(format: Format, quirks: Quirks) {
    this.format = format;
    this.#quirks = quirks;
  }

  /** `records` is the output of the method `records`. */
  list(personid: number, resource: string, listcount: number, records: string): SimulatorResponse {
    const head = { ...this.#head(personid, 200), listcount: this.#number(listcount) };
    if (records === '') return this.#empty(head, resource);
    return this.#wrap(200, head, resource, this.format === 'json' ? `[${records}]` : records);
  }

  /**
   * Writes many records: JSON objects with commas between them, or an item element each.
   * With a role the records are tasks whose text may be cached.
   */
  records(fields: readonly Field[], rows: Iterable<Row>, reader: Reader, role?: Role): string {
    const write = this.format === 'json' ? jsonWriter(fields, reader) : xmlWriter(fields, reader);
    const format = [this.format, role, ...Object.values(reader.style)].join(' ');
    const out: string[] = [];
    for (const row of rows) {
      if (role === undefined) out.push(write(row));
      else out.push(reader.data.taskTexts.text(format, row.id, () => write(row)));
    }
    return this.format === 'json' ? out.join() : out.map((record) => `<item>${record}</item>`).join('');
  }

  /** Writes one record: a JSON object, or its elements. */
  record(fields: readonly Field[], row: Row, reader: Reader): string {
    return this.format === 'json' ? jsonWriter(fields, reader)(row) : xmlWriter(fields, reader)(row);
  }

  member(personid: number, status: number, resource: string, record: string): SimulatorResponse {
    return this.#wrap(status, this.#head(personid, status), resource, record);
  }

  quota(personid: number, state: QuotaState): SimulatorResponse {
    const quota = Math.min(state.quota, UNLIMITED);
    const exceeded = state.exceeded ? 't' : 'f';
    const values: Record<string, Value> =
      this.#quirks.quotaShape === 'current'
        ? { quota: String(quota), used: String(state.used), next_reset: state.nextReset, exceeded }
        : { quota, used: state.used, business_day: previousDay(state.nextReset), exceeded };
    return this.#wrap(200, this.#head(personid, 200), 'quota', this.#values(values));
  }

  error(error: RequestError): SimulatorResponse {
    const head = { status: REASONS[error.status] ?? 'Error', code: this.#number(error.status) };
    const body = this.#values({ code: this.#number(error.code), message: error.message });
    return this.#wrap(error.status, head, 'error', body);
  }

  #head(personid: number, code: number): Record<string, Value> {
    return { personid: String(personid), status: 'OK', code: this.#number(code) };
  }

  #number(value: number): Value {
    return this.#quirks.envelopeNumbers === 'number' ? value : String(value);
  }

  #empty(head: Record<string, Value>, resource: string): SimulatorResponse {
    if (this.format === 'xml') return this.#wrap(200, head, resource, '');
    if (this.#quirks.emptyList === 'missing') return answer(200, 'json', JSON.stringify(head));
    return this.#wrap(200, head, resource, this.#quirks.emptyList === 'null' ? 'null' : '[]');
  }

  #values(values: Record<string, Value>): string {
    if (this.format === 'json') return JSON.stringify(values);
    return Object.entries(values)
      .map(([name, value]) => element(name, value))
      .join('');
  }

  #wrap(status: number, head: Record<string, Value>, name: string, inner: string): SimulatorResponse {
    if (this.format === 'json') {
      return answer(status, 'json', `${JSON.stringify(head).slice(0, -1)},"${name}":${inner}}`);
    }
    const wrapped = inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
    return answer(status, 'xml', `${XML_HEAD}<response>${this.#values(head)}${wrapped}</response>`);
  }
}

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function answer(status: number, format: Format, body: string): SimulatorResponse {
  return { status, type: `application/${format}; charset=utf-8`, body };
}

function previousDay(reset: string): string {
  return new Date(Date.parse(`${reset.slice(0, 10)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** The page a proxy shows. */
export function htmlPage(status: number): SimulatorResponse {
  const reason = REASONS[status] ?? 'Error';
  const body = `<html>\r\n<head><title>${status} ${reason}</title></head>\r\n<body>\r\n<center><h1>${status} ${reason}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, type: 'text/html', body };
}

/** JSON if the Accept header asks for it; XML if it asks for XML or anything, or is absent. */
export function formatFor(accept: string | undefined): Format {
  const wanted = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, q: q === undefined ? 1 : Number(q.slice(2)) };
  });
  const weight = (types: readonly string[]) =>
    Math.max(0, ...wanted.filter(({ type }) => types.includes(type)).map(({ q }) => q));
  return weight(['application/json', 'text/json']) > weight(['application/xml', 'text/xml']) ? 'json' : 'xml';
}

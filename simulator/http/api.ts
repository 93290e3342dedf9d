/**
 * Answers requests as the API document says: routes, roles, lists, members, writes.
 * Maps a request to a response without sockets; server.ts sends it, with faults if configured.
 */
import type { Account } from '../account/account.ts';
import type { Row } from '../account/records.ts';
import { type ListQuery, readQuery } from '../account/select.ts';
import type { Rows } from '../account/table.ts';
import type { Random } from '../people/random.ts';
import * as refuse from '../request-error.ts';
import { findResource } from '../resources/catalogue.ts';
import { contentsOf } from '../resources/document.ts';
import { meFields } from '../resources/person.ts';
import type { Field, Resource, Viewer } from '../resources/resource.ts';
import { fieldsFor, type Reader } from '../resources/wire.ts';
import type { Quirks } from '../switches.ts';
import type { Allowance } from './allowance.ts';
import type { Tokens } from './authenticate.ts';
import { PageTurns } from './between-pages.ts';
import { readBody } from './body.ts';
import { Envelope, formatFor, htmlPage, type SimulatorResponse } from './envelope.ts';
import type { FaultDesk } from './fault-desk.ts';
import { PageCache } from './page-cache.ts';

export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly address: string;
}

export interface ApiParts {
  readonly account: Account;
  readonly tokens: Tokens;
  readonly allowance: Allowance;
  readonly faults: FaultDesk;
  readonly quirks: Quirks;
  readonly random: Random;
}

type Asker = Viewer & { readonly token: string };

/** Everything needed to answer one request. */
interface Call {
  readonly request: ApiRequest;
  readonly asker: Asker;
  readonly envelope: Envelope;
}

const VERBS: Readonly<Record<string, 'create' | 'update' | 'remove'>> = {
  POST: 'create',
  PUT: 'update',
  DELETE: 'remove',
};

/** The resource a path names; '' when it names none. */
export function resourceIn(url: URL): string {
  return url.pathname.split('/').find((segment) => segment !== '') ?? '';
}

export class Api {
  readonly #parts: ApiParts;
  readonly #turns: PageTurns;
  readonly #pages = new PageCache();

  constructor(parts: ApiParts) {
    this.#parts = parts;
    this.#turns = new PageTurns(parts.account, parts.random);
  }

  answer(request: ApiRequest): SimulatorResponse {
    const { account, faults, quirks } = this.#parts;
    const envelope = new Envelope(formatFor(request.headers.accept), quirks);
    const target = { resource: resourceIn(request.url), method: request.method };
    account.settle();
    return account.clock.still(() => {
      const page = faults.strikes('htmlPage', target);
      if (page !== undefined) return htmlPage(page.status ?? 502);
      const broken = faults.strikes('serverError', target);
      const failure = new refuse.RequestError(broken?.status ?? 500, broken?.code ?? 19, 'The service failed');
      try {
        if (broken !== undefined && broken.after !== true) throw failure;
        const answer = this.#route(request, envelope);
        if (broken !== undefined) throw failure;
        return answer;
      } catch (error) {
        if (error instanceof refuse.RequestError) return envelope.error(error);
        throw error;
      }
    });
  }

  #route(request: ApiRequest, envelope: Envelope): SimulatorResponse {
    const asker = this.#asker(request);
    const [name = '', id, action, ...more] = request.url.pathname.split('/').filter((segment) => segment !== '');
    if (name !== 'quota') this.#parts.allowance.take(request.address);
    const call: Call = { request, asker, envelope };
    if (name === 'quota' || name === 'me') return this.#own(name, id, call);
    const resource = findResource(name);
    if (resource === undefined) throw refuse.unknownResource(name);
    if (id === undefined) return this.#collection(resource, call);
    if (!/^\d{1,15}$/.test(id))
      throw refuse.unknownAction(`Unknown action '${id}': expected an integer id of a ${name}`);
    if (action === undefined) return this.#member(resource, Number(id), call);
    if (name === 'document' && action === 'download' && more.length === 0)
      return this.#download(resource, Number(id), call);
    throw refuse.unknownAction(`Unknown action '${[action, ...more].join('/')}' for ${name}`);
  }

  #asker(request: ApiRequest): Asker {
    const { tokens, faults } = this.#parts;
    const asker = tokens.authenticate(request.headers.authorization);
    const changed = faults.settings.role;
    if (changed === undefined || (changed.token !== undefined && changed.token !== asker.token)) return asker;
    const struck = faults.strikes('role', { resource: resourceIn(request.url), method: request.method });
    return struck === undefined ? asker : { ...asker, role: struck.to };
  }

  #own(name: 'quota' | 'me', id: string | undefined, { request, asker, envelope }: Call): SimulatorResponse {
    if (id !== undefined) throw refuse.unknownAction(`${name} has no single records`);
    if (request.method !== 'GET') throw refuse.unknownMethod(request.method, request.url.pathname);
    refuseParameters(request.url.searchParams, name, name === 'me' ? ['offset', 'limit'] : []);
    if (name === 'quota') return envelope.quota(asker.personid, this.#parts.allowance.state());
    const person = this.#parts.account.data.person.get(asker.personid);
    if (person === undefined) throw refuse.badToken();
    return envelope.list(
      asker.personid,
      'me',
      1,
      envelope.records(meFields as readonly Field[], [person], this.#reader(asker)),
    );
  }

  #collection(resource: Resource, call: Call): SimulatorResponse {
    const { request, asker } = call;
    if (request.method === 'GET') return this.#list(resource, call);
    if (request.method !== 'POST') throw refuse.unknownMethod(request.method, request.url.pathname);
    this.#allow(resource, 'create', call);
    const row = this.#perform(resource, 'create', undefined, call);
    return this.#written(resource, row, 201, asker, call.envelope);
  }

  #list(resource: Resource, { request, asker, envelope }: Call): SimulatorResponse {
    const { account, faults } = this.#parts;
    const { data } = account;
    this.#allow(resource, 'list', { request, asker, envelope });
    const query = readQuery(resource, request.url.searchParams, asker, data);
    const target = { resource: resource.name, method: 'GET' };
    if (this.#turns.turned(asker.token, resource.name, query)) {
      const change = faults.strikes('betweenPages', target)?.change;
      if (change === 'create') this.#turns.create(resource.name);
      if (change === 'delete') this.#turns.delete(resource, query, asker);
    }
    const wrong = faults.strikes('wrongCount', target)?.by ?? 0;
    const write = () => this.#page(resource, query, wrong, { request, asker, envelope });
    // A filter that depends on the current second makes the page uncacheable.
    if (data.lateIndex.size > 0 || resource.implied !== undefined) return write();
    const state = `${data.version} ${data.today()} ${JSON.stringify(this.#parts.quirks)}`;
    const key = [envelope.format, asker.token, asker.role, wrong, request.url.href].join(' ');
    return this.#pages.page(state, key, write);
  }

  #page(resource: Resource, query: ListQuery, wrong: number, { request, asker, envelope }: Call): SimulatorResponse {
    const { data, selector } = this.#parts.account;
    const { count, slots } = selector.select(resource, query, asker, data);
    const extra = resource.extraFields?.(request.url.searchParams, data) ?? [];
    const fields = [...fieldsFor(resource, asker.role, 'list'), ...extra];
    const rows = rowsAt(resource.rows(data), slots);
    const manner = resource.name === 'task' && extra.length === 0 ? asker.role : undefined;
    const written = envelope.records(fields, rows, this.#reader(asker), manner);
    return envelope.list(asker.personid, resource.name, Math.max(0, count + wrong), written);
  }

  #member(resource: Resource, id: number, call: Call): SimulatorResponse {
    const { request, asker, envelope } = call;
    if (resource.access.member.length === 0) throw refuse.unknownAction(`${resource.name} has no single records`);
    refuseParameters(request.url.searchParams, resource.name, []);
    const verb = request.method === 'GET' ? 'member' : VERBS[request.method];
    if (verb === undefined || verb === 'create') throw refuse.unknownMethod(request.method, request.url.pathname);
    this.#allow(resource, verb, call);
    const row = this.#find(resource, id, asker);
    if (verb === 'member') {
      const fields = fieldsFor(resource, asker.role, 'member');
      return envelope.member(asker.personid, 200, resource.name, envelope.record(fields, row, this.#reader(asker)));
    }
    const changed = this.#perform(resource, verb, id, call);
    if (verb === 'remove') return { status: 200, type: '', body: '' };
    return this.#written(resource, changed, 202, asker, envelope);
  }

  #download(resource: Resource, id: number, call: Call): SimulatorResponse {
    const { request } = call;
    if (request.method !== 'GET') throw refuse.unknownMethod(request.method, request.url.pathname);
    refuseParameters(request.url.searchParams, resource.name, []);
    this.#find(resource, id, call.asker);
    const document = this.#parts.account.data.document.get(id);
    if (document === undefined) throw refuse.noRecord('document', id);
    const disposition = `attachment; filename="${document.filename}"`;
    const headers = { 'content-disposition': disposition };
    return { status: 200, type: 'application/octet-stream', body: contentsOf(document), headers };
  }

  #allow(resource: Resource, verb: keyof Resource['access'], { request, asker }: Call): void {
    const roles = resource.access[verb];
    if (roles.length === 0) throw refuse.unknownMethod(request.method, request.url.pathname);
    if (roles.includes(asker.role)) return;
    throw refuse.forbidden(`${request.method} ${request.url.pathname} needs ${roles.join(' or ')}, not ${asker.role}`);
  }

  #find(resource: Resource, id: number, asker: Asker): Row {
    const { data } = this.#parts.account;
    const row = resource.rows(data).get(id);
    // A record that the role may not read is a 404.
    if (row === undefined || resource.sees?.(row, asker, data) === false) throw refuse.noRecord(resource.name, id);
    return row;
  }

  #perform(resource: Resource, verb: 'create' | 'update' | 'remove', id: number | undefined, call: Call): Row {
    const { account } = this.#parts;
    const { headers, body, url } = call.request;
    refuseParameters(url.searchParams, resource.name, []);
    const act = account.act({
      by: call.asker.personid,
      role: call.asker.role,
      notes: headers['x-service-disable-action-notes'] !== 't',
      notify: headers['x-service-send-notifications'] === 't',
    });
    const sent = verb === 'remove' ? {} : readBody(body, headers['content-type'], resource.name);
    return account.perform(resource.name, verb, id, sent, act);
  }

  #written(resource: Resource, row: Row, status: 201 | 202, asker: Asker, envelope: Envelope): SimulatorResponse {
    const fields = fieldsFor(resource, asker.role, 'list');
    const code = this.#parts.quirks.success === '200' ? 200 : status;
    return envelope.member(asker.personid, code, resource.name, envelope.record(fields, row, this.#reader(asker)));
  }

  #reader(viewer: Viewer): Reader {
    return { data: this.#parts.account.data, viewer, style: this.#parts.quirks };
  }
}

/** One after the other: a row may be a cursor that the next one moves. */
function* rowsAt(rows: Rows<Row>, slots: readonly number[]): Iterable<Row> {
  for (const slot of slots) yield rows.at(slot);
}

function refuseParameters(params: URLSearchParams, resource: string, allowed: readonly string[]): void {
  for (const name of params.keys()) if (!allowed.includes(name)) throw refuse.unknownParameter(name, resource);
}

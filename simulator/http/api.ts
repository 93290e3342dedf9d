/**
 * Handles requests as the API's specification says: routes, roles, lists, members, writes.
 * Maps a request to a response without sockets; server.ts sends it, with faults if configured.
 */
import type { Account } from '../account/account.ts';
import type { Row } from '../account/records.ts';
import { LaggingRows } from '../account/row-history.ts';
import { isHidden, type ListQuery, readQuery, Selector } from '../account/select.ts';
import type { Rows } from '../account/table.ts';
import type { Random } from '../people/random.ts';
import * as refuse from '../request-error.ts';
import { findResource } from '../resources/catalogue.ts';
import { contentsOf } from '../resources/document.ts';
import { meFields } from '../resources/person.ts';
import { type Field, type Resource, ROLES, type Viewer } from '../resources/resource.ts';
import { fieldsFor, type Reader } from '../resources/wire.ts';
import type { Quirks } from '../switches.ts';
import { type ActiveFaults, limitSight, targetOf } from './active-faults.ts';
import type { Allowance } from './allowance.ts';
import type { Tokens } from './authenticate.ts';
import { PageChanges } from './between-pages.ts';
import { readBody } from './body.ts';
import { Envelope, formatFor, htmlPage, type SimulatorResponse } from './envelope.ts';
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
  readonly faults: ActiveFaults;
  readonly quirks: Quirks;
  readonly random: Random;
}

type AuthenticatedViewer = Viewer & { readonly token: string };

/** What the handling of one request needs. */
interface RequestContext {
  readonly request: ApiRequest;
  readonly viewer: AuthenticatedViewer;
  readonly envelope: Envelope;
}

const VERBS: Readonly<Record<string, 'create' | 'update' | 'remove'>> = {
  POST: 'create',
  PUT: 'update',
  DELETE: 'remove',
};

export class Api {
  readonly #parts: ApiParts;
  readonly #pageChanges: PageChanges;
  readonly #pages = new PageCache();

  constructor(parts: ApiParts) {
    this.#parts = parts;
    this.#pageChanges = new PageChanges(parts.account, parts.random);
  }

  handle(request: ApiRequest): SimulatorResponse {
    const { account, faults, quirks } = this.#parts;
    const envelope = new Envelope(formatFor(request.headers.accept), quirks);
    account.settle();
    const target = targetOf(request.method, request.url);
    return account.clock.still(() => {
      const page = faults.match('htmlPage', target);
      if (page !== undefined) return htmlPage(page.status ?? 502);
      const broken = faults.match('serverError', target);
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
    const viewer = this.#viewer(request);
    const [name = '', id, action, ...more] = request.url.pathname.split('/').filter((segment) => segment !== '');
    if (name !== 'quota') this.#parts.allowance.take(request.address);
    const call: RequestContext = { request, viewer, envelope };
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

  #viewer(request: ApiRequest): AuthenticatedViewer {
    const { tokens, faults } = this.#parts;
    return limitSight(tokens.authenticate(request.headers.authorization), faults, request);
  }

  #own(name: 'quota' | 'me', id: string | undefined, { request, viewer, envelope }: RequestContext): SimulatorResponse {
    if (id !== undefined) throw refuse.unknownAction(`${name} has no single records`);
    if (request.method !== 'GET') throw refuse.unknownMethod(request.method, request.url.pathname);
    rejectParameters(request.url.searchParams, name, name === 'me' ? ['offset', 'limit'] : []);
    if (name === 'quota') return envelope.quota(viewer.personid, this.#parts.allowance.state());
    const person = this.#parts.account.data.person.get(viewer.personid);
    if (person === undefined) throw refuse.badToken();
    // A token whose role was set has the group of that role, whatever its person's group.
    const groupid = ROLES.indexOf(viewer.role) + 1;
    return envelope.list(
      viewer.personid,
      'me',
      1,
      envelope.records(meFields as readonly Field[], [{ ...person, groupid } as typeof person], this.#reader(viewer)),
    );
  }

  #collection(resource: Resource, call: RequestContext): SimulatorResponse {
    const { request, viewer } = call;
    if (request.method === 'GET') return this.#list(resource, call);
    if (request.method !== 'POST') throw refuse.unknownMethod(request.method, request.url.pathname);
    this.#allow(resource, 'create', call);
    const row = this.#perform(resource, 'create', undefined, call);
    return this.#written(resource, row, 201, viewer, call.envelope);
  }

  #list(resource: Resource, { request, viewer, envelope }: RequestContext): SimulatorResponse {
    const { account, faults } = this.#parts;
    const { data } = account;
    this.#allow(resource, 'list', { request, viewer, envelope });
    const query = readQuery(resource, request.url.searchParams, viewer, data);
    const target = targetOf('GET', request.url);
    if (this.#pageChanges.isNextPage(viewer.token, resource.name, query)) {
      const change = faults.match('betweenPages', target)?.change;
      if (change === 'create') this.#pageChanges.create(resource.name);
      if (change === 'delete') this.#pageChanges.delete(resource, query, viewer);
    }
    const wrong = faults.match('wrongCount', target)?.by ?? 0;
    const most = faults.match('smallPages', target)?.rows ?? query.limit;
    const odd = faults.match('oddRow', target)?.row;
    const bounded = { ...query, limit: Math.min(query.limit, most) };
    const call = { request, viewer, envelope };
    const lagging = this.#lagging(resource, request);
    if (lagging !== undefined) return this.#page(lagging, bounded, wrong, odd, call, new Selector());
    const write = () => this.#page(resource, bounded, wrong, odd, call);
    // A filter that depends on the current second makes the page uncacheable.
    if (data.lateIndex.size > 0 || resource.implied !== undefined) return write();
    const state = `${data.version} ${data.today()} ${JSON.stringify(this.#parts.quirks)}`;
    const { token, role, ...sight } = viewer;
    const key = [envelope.format, token, role, JSON.stringify(sight), wrong, most, odd, request.url.href].join(' ');
    return this.#pages.page(state, key, write);
  }

  #page(
    resource: Resource,
    query: ListQuery,
    wrong: number,
    odd: 'invalid' | 'repeated' | undefined,
    { request, viewer, envelope }: RequestContext,
    laggingSelector?: Selector,
  ): SimulatorResponse {
    const { data } = this.#parts.account;
    const selector = laggingSelector ?? this.#parts.account.selector;
    const isFirst = query.offset === 0;
    // An odd row takes a place of its own in the list.
    const shifted = { ...query, offset: Math.max(0, query.offset - 1), limit: query.limit - (isFirst ? 1 : 0) };
    const { count, slots } = selector.select(resource, odd === undefined ? query : shifted, viewer, data);
    const extra = resource.extraFields?.(request.url.searchParams, data) ?? [];
    const fields = [...fieldsFor(resource, viewer.role, 'list'), ...extra];
    const rows = rowsAt(resource.rows(data), slots);
    const isCached = resource.name === 'task' && extra.length === 0 && laggingSelector === undefined;
    const cacheRole = isCached ? viewer.role : undefined;
    const write = (some: typeof rows) => envelope.records(fields, some, this.#reader(viewer), cacheRole);
    const first =
      odd === 'invalid'
        ? '{"id":"0"}'
        : odd === 'repeated'
          ? write(rowsAt(resource.rows(data), slots.slice(0, 1)))
          : '';
    const written = [isFirst ? first : '', write(rows)].filter((text) => text !== '').join(',');
    const listed = count + wrong + (odd === undefined ? 0 : 1);
    return envelope.list(viewer.personid, resource.name, Math.max(0, listed), written);
  }

  #member(resource: Resource, id: number, call: RequestContext): SimulatorResponse {
    const { request, viewer, envelope } = call;
    if (resource.access.member.length === 0) throw refuse.unknownAction(`${resource.name} has no single records`);
    rejectParameters(request.url.searchParams, resource.name, []);
    const verb = request.method === 'GET' ? 'member' : VERBS[request.method];
    if (verb === undefined || verb === 'create') throw refuse.unknownMethod(request.method, request.url.pathname);
    this.#allow(resource, verb, call);
    const row = this.#find((verb === 'member' && this.#lagging(resource, request)) || resource, id, viewer);
    if (verb === 'member') {
      const fields = fieldsFor(resource, viewer.role, 'member');
      return envelope.member(viewer.personid, 200, resource.name, envelope.record(fields, row, this.#reader(viewer)));
    }
    const changed = this.#perform(resource, verb, id, call);
    if (verb === 'remove') return { status: 200, type: '', body: '' };
    return this.#written(resource, changed, 202, viewer, envelope);
  }

  #download(resource: Resource, id: number, call: RequestContext): SimulatorResponse {
    const { request } = call;
    if (request.method !== 'GET') throw refuse.unknownMethod(request.method, request.url.pathname);
    rejectParameters(request.url.searchParams, resource.name, []);
    this.#find(resource, id, call.viewer);
    const document = this.#parts.account.data.document.get(id);
    if (document === undefined) throw refuse.noRecord('document', id);
    const disposition = `attachment; filename="${document.filename}"`;
    const headers = { 'content-disposition': disposition };
    return { status: 200, type: 'application/octet-stream', body: contentsOf(document), headers };
  }

  #allow(resource: Resource, verb: keyof Resource['access'], { request, viewer }: RequestContext): void {
    const roles = resource.access[verb];
    if (roles.length === 0) throw refuse.unknownMethod(request.method, request.url.pathname);
    if (roles.includes(viewer.role)) return;
    throw refuse.forbidden(`${request.method} ${request.url.pathname} needs ${roles.join(' or ')}, not ${viewer.role}`);
  }

  #find(resource: Resource, id: number, viewer: AuthenticatedViewer): Row {
    const { data } = this.#parts.account;
    const row = resource.rows(data).get(id);
    // A record that the role may not read is a 404.
    if (row === undefined || resource.sees?.(row, viewer, data) === false || isHidden(resource, row, viewer))
      throw refuse.noRecord(resource.name, id);
    return row;
  }

  /** The resource as a replica that lags behind has it; undefined when the fault does not apply. */
  #lagging(resource: Resource, request: ApiRequest): Resource | undefined {
    const { history, clock } = this.#parts.account.data;
    const fault = this.#parts.faults.match('replicaLag', targetOf(request.method, request.url));
    if (fault === undefined || history === undefined) return undefined;
    const earlier = history.rowsAsOf(resource.name, clock.now() - fault.ms);
    return { ...resource, rows: (data) => new LaggingRows(resource.rows(data), earlier) };
  }

  #perform(
    resource: Resource,
    verb: 'create' | 'update' | 'remove',
    id: number | undefined,
    call: RequestContext,
  ): Row {
    const { account } = this.#parts;
    const { headers, body, url } = call.request;
    rejectParameters(url.searchParams, resource.name, []);
    const act = account.act({
      by: call.viewer.personid,
      role: call.viewer.role,
      notes: headers['x-service-disable-action-notes'] !== 't',
      notify: headers['x-service-send-notifications'] === 't',
    });
    const sent = verb === 'remove' ? {} : readBody(body, headers['content-type'], resource.name);
    return account.perform(resource.name, verb, id, sent, act);
  }

  #written(
    resource: Resource,
    row: Row,
    status: 201 | 202,
    viewer: AuthenticatedViewer,
    envelope: Envelope,
  ): SimulatorResponse {
    const fields = fieldsFor(resource, viewer.role, 'list');
    const code = this.#parts.quirks.success === '200' ? 200 : status;
    return envelope.member(viewer.personid, code, resource.name, envelope.record(fields, row, this.#reader(viewer)));
  }

  #reader(viewer: Viewer): Reader {
    return { data: this.#parts.account.data, viewer, style: this.#parts.quirks };
  }
}

/** Yields rows one at a time, because a row may be a cursor that the next one moves. */
function* rowsAt(rows: Rows<Row>, slots: readonly number[]): Iterable<Row> {
  for (const slot of slots) yield rows.at(slot);
}

function rejectParameters(params: URLSearchParams, resource: string, allowed: readonly string[]): void {
  for (const name of params.keys()) if (!allowed.includes(name)) throw refuse.unknownParameter(name, resource);
}

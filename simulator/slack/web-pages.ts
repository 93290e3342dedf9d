/** What a browser or a test reaches beside Slack's own API: the page, its forms, and the control API. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestUrl } from '../http/server.ts';
import { CONTROL, control } from './control.ts';
import { type JsonObject, parseObject } from './json.ts';
import { PAGE_POLICY, pageOf } from './page.ts';
import { performPageAction } from './page-actions.ts';
import type { Visitor, VisitorParts } from './visitor.ts';

export interface WebPageOptions extends VisitorParts {
  as(person: string): Visitor;
  /** The channel to show first. */
  readonly home: string | undefined;
  readonly hints: readonly string[];
}

export interface WebPages {
  /** Whether a request is for a page or the control API. */
  owns(method: string, path: string): boolean;
  serve(request: IncomingMessage, response: ServerResponse, readBody: () => Promise<string | undefined>): Promise<void>;
}

const ACTION = '/act/';

export function webPages(options: WebPageOptions): WebPages {
  const showPage = (query: URLSearchParams, response: ServerResponse) => {
    const viewer = options.workspace.person(query.get('as') ?? '') ?? options.workspace.people[0];
    const requested = query.get('channel') ?? '';
    // The direct message with the app exists as soon as someone looks at it.
    if (viewer !== undefined && requested === `D${viewer.id.slice(1)}`) options.workspace.openDirect(viewer.id);
    const { home, hints } = options;
    const page = pageOf(options, { viewer, requested, home, hints, thread: query.get('thread') ?? undefined });
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY })
      .end(page);
  };

  /** `isStaying`: the page sends the form by script, and updates itself. */
  const act = async (path: string, raw: string, isStaying: boolean, response: ServerResponse) => {
    const form = new URLSearchParams(raw);
    const back = await performPageAction(path.slice(ACTION.length), form, options.as(form.get('as') ?? ''));
    response.writeHead(isStaying ? 204 : 303, isStaying ? {} : { location: back }).end();
  };

  const answerControl = async (request: IncomingMessage, path: string, raw: string, response: ServerResponse) => {
    const query: JsonObject = Object.fromEntries(requestUrl(request).searchParams);
    const body = raw === '' ? query : parseObject(raw);
    if (body === undefined) throw new RangeError('expected a JSON object');
    const result = await control(options, request.method ?? 'GET', path, body);
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      .end(`${JSON.stringify(result ?? null)}\n`);
  };

  return {
    owns: (method, path) =>
      path.startsWith(ACTION) || path.startsWith(CONTROL) || (method === 'GET' && !path.startsWith('/api/')),
    async serve(request, response, readBody) {
      const { pathname, searchParams } = requestUrl(request);
      const isForeign = !['same-origin', 'none', undefined].includes(request.headers['sec-fetch-site'] as string);
      if (isForeign && !(request.method === 'GET' && pathname === '/')) {
        response.writeHead(403).end('requests from other sites are refused\n');
        return;
      }
      try {
        if (pathname.startsWith(CONTROL)) await answerControl(request, pathname, (await readBody()) ?? '', response);
        else if (pathname.startsWith(ACTION))
          await act(pathname, (await readBody()) ?? '', searchParams.has('stay'), response);
        else showPage(searchParams, response);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(`${JSON.stringify({ error: error.message })}\n`);
      }
    },
  };
}

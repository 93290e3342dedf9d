/**
 * Log-in and log-out. Opening a link shows a form and changes nothing, because chats and mail scanners open every link; the
 * form, which the script submits at once, uses the link up.
 */

import type { Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { Document } from '../layout.tsx';
import { Icon } from '../parts/icon.tsx';
import { pathTo, safeReturnPath } from '../paths.ts';
import { readFields } from '../read-fields.ts';
import {
  assertMayPost,
  assertSameSite,
  CSRF_FIELD,
  endSession,
  findLink,
  openSession,
  readSession,
} from '../session.ts';

/** Its form has two. Anyone can send it. */
const LOG_IN_FIELDS = 10;

export function addLogIn(app: Hono, api: ApiPorts): void {
  app.get('/log-in', async (context) => {
    const token = context.req.query('token');
    const next = safeReturnPath(context.req.query('next'));
    const session = await readSession(api, context);
    if (token === undefined) {
      const isOut = context.req.query('out') !== undefined;
      return session === undefined ? show(context, <Ask api={api} isOut={isOut} />) : context.redirect(next, 303);
    }
    const link = await findLink(api, token);
    // A link that was opened a second time, such as from the history of the same browser.
    if (link === undefined && session !== undefined) return context.redirect(next, 303);
    if (link === undefined) return show(context, <Ask api={api} isUsed />, 410);
    return show(
      context,
      <main class="alone">
        <Heading />
        <form method="post" action={pathTo('/log-in')} data-submit={session === undefined ? 'now' : undefined}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="next" value={next} />
          {session === undefined ? null : <p>You are logged in as {session.caller.id}.</p>}
          <button class="main" type="submit">
            Log in as {link.person}
            {link.scope === 'read' ? ', read-only' : ''}
          </button>
        </form>
      </main>,
    );
  });

  app.post('/log-in', async (context) => {
    assertSameSite(api, context);
    const fields = await readFields(context, LOG_IN_FIELDS);
    const isOpen = await openSession(api, context, fields.get('token')?.at(-1) ?? '');
    if (!isOpen) return show(context, <Ask api={api} isUsed />, 410);
    return context.redirect(safeReturnPath(fields.get('next')?.at(-1)), 303);
  });

  app.post('/log-out', async (context) => {
    const session = await readSession(api, context);
    if (session !== undefined) {
      const form = new Map([[CSRF_FIELD, (await readFields(context)).get(CSRF_FIELD)?.join('\n') ?? '']]);
      assertMayPost(api, context, { ...session, isReadOnly: false }, form);
      await endSession(api, context);
    }
    return context.redirect(pathTo('/log-in', { out: 'yes' }), 303);
  });
}

const Heading = () => (
  <h1 class="brand">
    <Icon name="brand" /> Tidings
  </h1>
);

interface AskProps {
  readonly api: ApiPorts;
  /** Whether a link was used before, or has expired. @default false */
  readonly isUsed?: boolean;
  /** Whether the person has just logged out. @default false */
  readonly isOut?: boolean;
}

const Ask = ({ api, isUsed = false, isOut = false }: AskProps) => (
  <main class="alone">
    <Heading />
    <p class="lead">
      {isUsed
        ? 'This link was used already, or has expired.'
        : isOut
          ? 'You are logged out.'
          : 'Log in with a link that works once.'}
    </p>
    <p>
      {isUsed ? 'Make a new one' : isOut ? 'To log in again, make a link that works once' : 'Make one'} where Tidings
      runs, or ask the person who runs it:
    </p>
    <pre>
      <code>{api.mode === 'aws' ? 'tidings console --aws STACK' : 'tidings console'}</code>
    </pre>
    <p class="soft">
      In a clone: <code>npm run tidings -- console</code>. For someone who may look but not change anything, add{' '}
      <code>--read-only</code>.
    </p>
  </main>
);

function show(context: Context, content: Child, status: 200 | 410 = 200): Response | Promise<Response> {
  return context.html(`<!doctype html>${String(<Document title="Log in">{content}</Document>)}`, status);
}

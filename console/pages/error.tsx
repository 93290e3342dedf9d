/** The page of an error: what happened and what to do. */

import type { FC } from 'hono/jsx';
import type { Problem } from '../../manage/api/http/problem.ts';
import { Document, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { pathTo } from '../paths.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This address is not valid',
  403: 'Not allowed',
  404: 'Nothing here',
  409: 'Not possible now',
  412: 'Changed by someone else',
  413: 'Too large',
  422: 'Not valid',
  503: 'Not available now',
};

interface ErrorPageProps {
  readonly problem: Problem;
  /** @default - nobody is logged in */
  readonly page?: PageContext;
}

export const ErrorPage: FC<ErrorPageProps> = ({ problem, page }) => {
  const title = TITLES[problem.status] ?? 'Something went wrong';
  const text = (
    <>
      <h1>{title}</h1>
      <p class="lead">{asSentence(problem.message)}</p>
      {problem.errors.length < 2 ? null : (
        <ul>
          {problem.errors.map(({ pointer, detail }) => (
            <li>
              <code>{pointer}</code>: {detail}
            </li>
          ))}
        </ul>
      )}
    </>
  );
  if (page === undefined) {
    return (
      <Document title={title}>
        <main class="alone">
          {text}
          <p>
            <a href={pathTo('/log-in')}>Log in</a>
          </p>
        </main>
      </Document>
    );
  }
  return (
    <Layout page={page} title={title} section="none">
      {text}
      {problem.status === 404 ? (
        <search>
          <form class="buttons" action={pathTo('/events')} method="get">
            <input
              type="search"
              name="q"
              aria-label="Search events and records"
              placeholder="a name, task/123 or evt_…"
            />
            <button type="submit">Search</button>
          </form>
        </search>
      ) : null}
      <p>Go on with:</p>
      <ul>
        <li>
          <a href={pathTo('')}>Now</a>: what happens, and what comes next
        </li>
        <li>
          <a href={pathTo('/events')}>Events</a>: what happened in the account
        </li>
        <li>
          <a href={pathTo('/deliveries')}>Deliveries</a>: who got what, and why not
        </li>
        <li>
          <a href={pathTo('/subscriptions')}>Subscriptions</a>: which events go where
        </li>
      </ul>
    </Layout>
  );
};

function asSentence(text: string): string {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

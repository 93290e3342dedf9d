/** A person in Redmine's web pages: logs in with a form and edits many issues at once, which the REST API cannot. */

import type { RedmineServer } from './server.ts';

export interface WebSession {
  /** Changes all these issues with one request of the bulk edit page: one journal for each. */
  bulkEdit(ids: readonly string[], issue: Readonly<Record<string, string>>): Promise<void>;
}

export async function logIn({ url }: Pick<RedmineServer, 'url'>, login: string): Promise<WebSession> {
  const cookies = new Map<string, string>();
  const call = async (path: string, form?: URLSearchParams) => {
    const response = await fetch(`${url}/${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: form ?? null,
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    if (response.status >= 400) throw new Error(`${path}: ${response.status}`);
    return { page: await response.text(), location: response.headers.get('location') };
  };
  const tokenIn = (page: string) => /name="authenticity_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const credentials = { username: login, password: `${login}-pass-4711` };
  const { page: form } = await call('login');
  await call('login', new URLSearchParams({ authenticity_token: tokenIn(form), ...credentials }));
  return {
    async bulkEdit(ids, issue) {
      const chosen = ids.map((id): [string, string] => ['ids[]', id]);
      const { page } = await call(`issues/bulk_edit?${new URLSearchParams(chosen)}`);
      const values = Object.entries(issue).map(([name, value]): [string, string] => [`issue[${name}]`, value]);
      const form = new URLSearchParams([['authenticity_token', tokenIn(page)], ...chosen, ...values]);
      // Rejected, it shows the form again.
      const answer = await call('issues/bulk_update', form);
      if (answer.location === null) throw new Error(`bulk edit was not accepted: ${answer.page.slice(0, 200)}`);
    },
  };
}

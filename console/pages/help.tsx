/** The help page: what the console shows, and its keyboard shortcuts. */

import type { Child } from 'hono/jsx';
import packageJson from '../../package.json' with { type: 'json' };
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Shortcuts } from '../parts/shortcuts.tsx';
import { API_REFERENCE, pathTo } from '../paths.ts';

export async function showHelp(page: PageContext): Promise<Child> {
  return (
    <Layout page={page} title="Help" section="none">
      <h1>Help</h1>
      <section class="card prose">
        <h2>Where to look</h2>
        <dl class="facts">
          <dt>Why did I get this message?</dt>
          <dd>
            Find the event under <a href={pathTo('/events')}>Events</a> and open it: it shows the change, and which
            subscriptions match.
          </dd>
          <dt>Why did nobody get a message?</dt>
          <dd>
            Open the event. Each subscription that did not get it says why. If there is no event, open the record.
          </dd>
          <dt>A receiver was down. What now?</dt>
          <dd>Tidings tries again for days. To send an event again at once, open it and choose Resend.</dd>
        </dl>
      </section>
      <section class="card prose">
        <h2>For programs</h2>
        <p>
          <a href={API_REFERENCE}>The reference of the API</a> lists every request, and what the webhook of each event
          contains. <a href="/v1/openapi.json">The same for tools</a>, as OpenAPI. Keys are under{' '}
          <a href={pathTo('/keys')}>Keys</a>.
        </p>
        <p class="soft">Tidings {packageJson.version}</p>
      </section>
      <section class="card">
        <h2>Keyboard shortcuts</h2>
        <Shortcuts />
      </section>
    </Layout>
  );
}

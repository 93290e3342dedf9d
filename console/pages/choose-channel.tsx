/** The first page of a new subscription: the choice of its channel. */

import type { FC } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { ChannelSketch } from '../parts/channel-sketch.tsx';
import { Icon } from '../parts/icon.tsx';
import { pathTo } from '../paths.ts';

/** Which channels there are, and why one is not available here. */
export const ChannelChoice: FC<{ readonly page: PageContext }> = ({ page }) => (
  <Layout page={page} title="New subscription" section="subscriptions">
    <p class="back">
      <a href={pathTo('/subscriptions')}>
        <Icon name="back" /> Subscriptions
      </a>
    </p>
    <h1>New subscription</h1>
    <p class="lead">Where should the messages go?</p>
    <ul class="rows">
      {[...channelRegistry.values()].map((definition) => {
        const reason = unavailable(page, definition);
        return (
          <li>
            {reason === undefined ? (
              <a
                class="row channel"
                href={pathTo('/subscriptions/new', {
                  channel: definition.name,
                  query: page.url.searchParams.get('query') ?? undefined,
                })}
              >
                <b>{upperFirst(definition.label)}</b>
                <span class="soft">{definition.summary}</span>
                <ChannelSketch definition={definition} />
              </a>
            ) : (
              <span class="row channel">
                <b>{upperFirst(definition.label)}</b>
                <span class="soft">
                  {definition.summary} {reason}
                </span>
                <ChannelSketch definition={definition} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  </Layout>
);

function unavailable(
  { api }: PageContext,
  { modes, needs }: { readonly modes: readonly string[]; readonly needs: readonly string[] },
): string | undefined {
  if (!modes.includes(api.mode)) return 'Not available in this installation.';
  return needs.includes('mail') && api.config.mail === undefined
    ? 'Not available: the config of this installation has no section mail.'
    : undefined;
}

const upperFirst = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `tidings render`: shows the messages a subscription or a channel would send, for example events or a recorded one. */

import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { upperFirst } from '../core/events/phrases.ts';
import { compileGlob } from '../core/filters/match.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { matchingExamples } from '../runtime/config/check-template.ts';
import type { Config } from '../runtime/config/config.ts';
import { dataFileOf } from '../runtime/embedded/data-directory.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { type RenderedMessage, renderMessage } from '../runtime/inspect/render.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import { withStoredSources } from '../runtime/stored-sources.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { createZoneLookup } from '../runtime/zones.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption, locationFlags, readTypeGlob } from './options.ts';

interface RenderFlags extends DataLocation {
  readonly config: string;
  readonly subscription?: string;
  readonly channel?: string;
  readonly type?: string;
  readonly event?: string;
  readonly html: boolean;
  readonly json: boolean;
}

/** An event, and the zone of the dates in its message. */
interface EventInZone {
  readonly event: TidingsEvent;
  readonly timeZone: string;
}

export function renderCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('render')
    .summary('show the messages a subscription would send')
    .description(
      'Shows what a subscription of the config would send, for an example of each matching event type or for a recorded\n' +
        'event. Sends nothing. Exit code 1 when a template fails, so that the default message would be sent.\n' +
        '--channel shows the default messages of a channel: without a subscription, for examples of every type.\n' +
        'With --aws, examples know the sources of the config only, and a recorded event also those that were added.',
    )
    .option('-s, --subscription <name>', 'name of the subscription')
    .addOption(
      new Option('--channel <name>', 'as another channel would send them').choices([...channelRegistry.keys()]),
    )
    .option('--type <glob>', "only examples of these types, e.g. 'invoice.*'", readTypeGlob)
    .addOption(new Option('--event <id>', 'a recorded event instead of examples').conflicts('type'))
    .option('--html', 'show the HTML of an email instead of its text', false)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (flags: RenderFlags) => exit(await runRender(flags, context)));
}

async function runRender(flags: RenderFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock } = context;
  const declared = readConfig(flags, environment);
  const subscription = subscriptionFor(declared, flags);
  const { event: id } = flags;
  const hasData = id !== undefined || (flags.aws === undefined && existsSync(dataFileOf(flags.data)));
  const read = async (stores: Stores) => {
    const config = withStoredSources(declared, await stores.storedSources.list());
    const event = id === undefined ? undefined : await recorded(stores, id, config, subscription, flags);
    return { config, event };
  };
  const { config, event } = hasData ? await withStores(flags, context, read) : { config: declared, event: undefined };
  const events = event === undefined ? examplesFor(config, subscription, flags.type) : [event];
  const previews = await Promise.all(
    events.map(({ event, timeZone }) =>
      renderMessage(
        { subscription, events: [event], delivery: 'dlv_render', at: clock.now(), timeZone },
        { links: config.links, stack: flags.aws },
      ),
    ),
  );
  if (flags.json) terminal.out(JSON.stringify(previews));
  else print(previews, flags.html, terminal);
  return previews.some(({ problem }) => problem !== null) ? 1 : 0;
}

type RenderConfig = Pick<Config, 'links' | 'sources' | 'network' | 'customEvents' | 'subscriptions'>;

/** The messages of a channel need no config: without the file they have no links. */
function readConfig(flags: RenderFlags, environment: Context['environment']): RenderConfig {
  if (flags.subscription === undefined && !existsSync(flags.config))
    return { links: {}, sources: [], network: { allowHttp: false, allow: [] }, customEvents: [], subscriptions: [] };
  return loadConfigFor(flags, environment);
}

/** With another channel, its default messages: a template is for the channel it was written for. */
function subscriptionFor(config: RenderConfig, { subscription: name, channel }: RenderFlags): Subscription {
  if (name === undefined && channel === undefined) {
    throw new UsageError('TIDINGS_OPTION_MISSING', 'render: expected --subscription <name> or --channel <name>');
  }
  const own = name === undefined ? undefined : subscriptionOf(config, name);
  const definition = channelRegistry.get(channel ?? own?.to.channel ?? '');
  if (own !== undefined && (definition === undefined || definition.name === own.to.channel)) return own;
  const to = { channel: definition?.name ?? '', settings: definition?.placeholder ?? {} };
  return { name: channel ?? '', events: ['*'], declared: false, ...own, to, template: undefined };
}

function subscriptionOf({ subscriptions }: RenderConfig, name: string): Subscription {
  const subscription = subscriptions.find((one) => one.name === name);
  if (subscription !== undefined) return subscription;
  const names = subscriptions.map((one) => one.name).join(', ') || 'none';
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `--subscription: expected one of the config's subscriptions (${names}), got '${name}'`,
  );
}

function examplesFor(config: RenderConfig, { events, timeZone }: Subscription, type = '*'): readonly EventInZone[] {
  const wanted = compileGlob(type);
  const examples = matchingExamples(events, config.customEvents).filter((event) => wanted(event.type));
  if (examples.length === 0) {
    throw new UsageError(
      'TIDINGS_TYPE_UNWANTED',
      `--type: expected a type that the subscription matches (${events.join(', ')}), got '${type}'`,
    );
  }
  return examples.map((event) => ({ event, timeZone: timeZone ?? config.sources[0]?.timeZone ?? 'UTC' }));
}

async function recorded(
  { events, snapshots }: Stores,
  id: string,
  { sources }: RenderConfig,
  { timeZone }: Subscription,
  location: DataLocation,
): Promise<EventInZone> {
  const event = await events.get(id);
  if (event === undefined) {
    throw new UsageError(
      'TIDINGS_EVENT_UNKNOWN',
      `--event: event '${id}' not found; list events with: tidings events${locationFlags(location)}`,
    );
  }
  const source = event.source.slice(event.source.lastIndexOf('/') + 1);
  return { event, timeZone: timeZone ?? (await createZoneLookup(sources, snapshots)(source)) };
}

function print(previews: readonly RenderedMessage[], wantsHtml: boolean, { out, err, paint }: Terminal): void {
  for (const [index, preview] of previews.entries()) {
    const { type, event, problem } = preview;
    if (index > 0) out('');
    out(`${paint('bold', type)}  ${paint('dim', event)}`);
    if (problem !== null) err(`${type}: ${problem}; the default message is sent instead`);
    for (const line of linesOf(preview, wantsHtml)) out(line);
  }
}

/** The payload of a channel that has one, else its parts: JSON, then lines with their names, then the text or the HTML. */
function linesOf(message: RenderedMessage, wantsHtml: boolean): readonly string[] {
  if (message.payload !== undefined) return [JSON.stringify(message.payload, null, 2)];
  const parts = Object.entries(channelRegistry.get(message.channel)?.templateParts ?? {});
  const hasHtml = wantsHtml && parts.some(([, { form }]) => form === 'html');
  return parts.flatMap(([name, { form }]) => {
    const part = message[name];
    if (form === 'html') return hasHtml ? [String(part ?? 'no HTML: the email is plain text').trimEnd()] : [];
    if (part === undefined || (form === 'text' && hasHtml)) return [];
    if (form === 'json') return [JSON.stringify(part, null, 2)];
    return [form === 'line' ? `${upperFirst(name)}: ${part}\n` : String(part).trimEnd()];
  });
}

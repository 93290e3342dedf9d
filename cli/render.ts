/** `tidings render`: shows the messages a subscription would send, for example events or a recorded one. */

import { type Command, Option } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { UsageError } from '../core/model/errors.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { compileGlob } from '../core/subscriptions/match.ts';
import { matchingExamples } from '../runtime/config/check-template.ts';
import type { Config } from '../runtime/config/config.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { type RenderedMessage, renderMessage } from '../runtime/inspect/render.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import { createZoneLookup } from '../runtime/zones.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption, placeFlags, readTypeGlob } from './options.ts';
import type { Terminal } from './terminal.ts';

interface RenderFlags extends DataLocation {
  readonly config: string;
  readonly subscription: string;
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
        'event. Sends nothing. Exit code 1 when a template fails, so that the default message would be sent.',
    )
    .requiredOption('-s, --subscription <name>', 'name of the subscription')
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
  const config = loadConfigFor(flags, environment);
  const subscription = subscriptionOf(config, flags.subscription);
  const { event: id } = flags;
  const events =
    id === undefined
      ? examplesFor(config, subscription, flags.type)
      : [await withStores(flags, context, (stores) => recorded(stores, id, config, subscription, flags))];
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

function subscriptionOf({ subscriptions }: Config, name: string): Subscription {
  const found = subscriptions.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = subscriptions.map((one) => one.name).join(', ') || 'none';
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `--subscription: expected one of the config's subscriptions (${names}), got '${name}'`,
  );
}

function examplesFor(config: Config, { events, timeZone }: Subscription, type = '*'): readonly EventInZone[] {
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
  { sources }: Config,
  { timeZone }: Subscription,
  location: DataLocation,
): Promise<EventInZone> {
  const event = await events.get(id);
  if (event === undefined) {
    throw new UsageError(
      'TIDINGS_EVENT_UNKNOWN',
      `--event: event '${id}' not found; list events with: tidings events${placeFlags(location)}`,
    );
  }
  const source = event.source.slice(event.source.lastIndexOf('/') + 1);
  return { event, timeZone: timeZone ?? (await createZoneLookup(sources, snapshots)(source)) };
}

function print(previews: readonly RenderedMessage[], wantsHtml: boolean, { out, err, paint }: Terminal): void {
  for (const [index, { type, event, problem, ...parts }] of previews.entries()) {
    if (index > 0) out('');
    out(`${paint('bold', type)}  ${paint('dim', event)}`);
    if (problem !== null) err(`${type}: ${problem}; the default message is sent instead`);
    if (parts.body !== undefined) out(JSON.stringify(parts.body, null, 2));
    if (parts.subject !== undefined) out(`Subject: ${parts.subject}\n`);
    const hasHtml = channelRegistry.get(parts.channel)?.templateParts.html !== undefined;
    if (hasHtml && wantsHtml) out((parts.html ?? 'no HTML: the email is plain text').trimEnd());
    else if (parts.text !== undefined) out(parts.text.trimEnd());
  }
}

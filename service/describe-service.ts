/** The lines that `tidings serve` prints at its start: what is polled, how often and when next, and who gets what. */

import { describeAddress } from '../adapters/channels/registry.ts';
import type { Instant } from '../core/model/time.ts';
import { lightKind } from '../core/source/plan.ts';
import type { Config } from '../runtime/config/config.ts';
import type { SourceStatus } from '../runtime/inspect/status.ts';
import { formatCadence, formatNextScan } from '../runtime/terminal/dates.ts';
import { pluralize, table } from '../runtime/terminal/terminal.ts';

export interface ServiceDescription {
  readonly config: Config;
  /** One for each source of the config. */
  readonly sources: readonly SourceStatus[];
  readonly data: string;
  readonly url: string;
  /** Whether the management API is served. */
  readonly servesApi: boolean;
  /** A log-in link. @default - the console is not served */
  readonly console?: string;
  readonly now: Instant;
}

/** With more sources, their resources and cadences would fill several screens. */
const MAX_DETAILED_SOURCES = 5;

/** `2 sources, 1 subscription` */
export function describeConfig({ sources, subscriptions }: Config): string {
  return `${pluralize(sources.length, 'source')}, ${pluralize(subscriptions.length, 'subscription')}`;
}

export function describeService(description: ServiceDescription): readonly string[] {
  const { config, sources, data, url, servesApi, console, now } = description;
  const { subscriptions } = config;
  return [
    ...config.sources.flatMap((source) => {
      const status = sources.find((one) => one.source === source.name);
      const rows = source.resources.map(({ resource, cadence }) => {
        const resourceStatus = status?.resources.find((one) => one.resource === resource.name);
        return [
          resource.name,
          formatCadence(lightKind(resource), cadence),
          formatNextScan(resourceStatus?.nextScanAt ?? null, now),
        ];
      });
      const line = `source         ${source.name} at ${source.baseUrl}`;
      if (config.sources.length > MAX_DETAILED_SOURCES) return [line];
      return [line, ...table(rows).map((line) => `               ${line}`)];
    }),
    ...subscriptions.map(
      ({ name, events, to }) => `subscription   ${name}: ${events.join(', ')} → ${describeAddress(to)}`,
    ),
    `times          ${sayZone(sources)}`,
    `data           ${data}`,
    `health         ${url}/health`,
    `metrics        ${url}/metrics`,
    ...(servesApi ? [`API            ${url}/v1/docs; make a key with: tidings keys add NAME --scope operate`] : []),
    ...(console === undefined
      ? []
      : [`console        ${console}`, '               opens once; another link: tidings console']),
    ...(subscriptions.length === 0 ? ['no subscriptions: events are recorded but not sent'] : []),
  ];
}

/** The zone of the first account, in which the lines of the service are. */
function sayZone([first]: readonly SourceStatus[]): string {
  return first?.timeZone ?? "UTC, because the account's zone is not known yet";
}

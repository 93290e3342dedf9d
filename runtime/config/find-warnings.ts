/**
 * Finds what a valid config names but no event, record or person can have, so that it would be silent: misspelled fields in
 * filters, templates, links and custom event types. Makes no requests. Such a config still runs; `check` and `validate` fail.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { customRecordShape, type MoreFields } from '../../core/events/event-shape.ts';
import { findFieldProblems } from '../../core/events/find-field-problems.ts';
import { resourceOfType } from '../../core/events/schema-name.ts';
import { findSubscriptionWarnings } from '../../core/messages/find-subscription-warnings.ts';
import { findLinkProblems } from '../../core/messages/link-problems.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { Config, SourceConfig } from './config.ts';
import { type Path, pathText } from './problems.ts';

export interface FindWarningsOptions {
  /** Fields that stored records have beside the documented ones, by resource. @default - none */
  readonly moreFields?: MoreFields;
}

export function findConfigWarnings(
  config: Pick<Config, 'sources' | 'customEvents' | 'subscriptions' | 'links'>,
  { moreFields }: FindWarningsOptions = {},
): readonly ConfigProblem[] {
  const { sources, customEvents, subscriptions, links } = config;
  const at = (path: Path, message: string): ConfigProblem => ({ path: pathText(path), message });
  // People add sources while Tidings runs: without any it is not known what they will have.
  const known = sources.length === 0 ? {} : { polled: polledResources(sources) };
  return [
    ...customEvents.flatMap(({ type, when }, index) =>
      (['before', 'after'] as const).flatMap((side) =>
        findFieldProblems(when[side], [customRecordShape(resourceOfType(type), moreFields)]).map((problem) =>
          at(['customEvents', index, 'when', side, ...problem.path.split('.')], problem.message),
        ),
      ),
    ),
    ...subscriptions.flatMap((subscription, index) => {
      const { to } = subscription;
      const parts = traitsOf(channelRegistry, to).templateParts;
      const warnings = [
        ...findSubscriptionWarnings(subscription, { customEvents, ...known, parts, moreFields }),
        ...(channelRegistry.get(to.channel)?.findIneffective?.(to.settings) ?? []).map(({ path, message }) => ({
          path: ['to', to.channel, ...path],
          message,
        })),
      ];
      return warnings.map(({ path, message }) => at(['subscriptions', index, ...path], message));
    }),
    ...findLinkProblems(links, moreFields).map(({ resource, message }) => at(['links', resource], message)),
  ];
}

export function polledResources(sources: readonly Pick<SourceConfig, 'resources'>[]): readonly string[] {
  return [...new Set(sources.flatMap(({ resources }) => resources.map(({ resource }) => resource.name)))];
}

/** The log of `tidings serve`: lines for people, or one JSON object per line for a log collector. Neither shows record contents. */

import { type Attempt, isDropped } from '../core/model/delivery.ts';
import { errorMessage } from '../core/model/errors.ts';
import type { Clock } from '../core/model/time.ts';
import { traceOfEvent } from '../core/model/trace.ts';
import type { Config } from '../runtime/config/config.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { createFailureLog, formatFailedScan, formatScan, narrate } from '../runtime/terminal/narrate.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { describeService, type ServiceDescription } from './describe-service.ts';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface ServiceLog {
  started(description: ServiceDescription): void;
  note(message: string): void;
  warn(message: string): void;
  error(message: string, error: unknown): void;
  watch(config: Pick<Config, 'sources' | 'tracing'>): Watcher;
}

export function openServiceLog(format: LogFormat, terminal: Terminal, clock: Clock): ServiceLog {
  return format === 'json' ? jsonLog(terminal, clock) : textLog(terminal, clock);
}

function textLog(terminal: Terminal, clock: Clock): ServiceLog {
  let zone = 'UTC';
  const failures = createFailureLog(clock);
  return {
    started: (description) => {
      zone = description.sources[0]?.timeZone ?? zone;
      describeService(description).forEach(terminal.out);
    },
    note: terminal.out,
    warn: terminal.err,
    error: (message, error) => terminal.err(`${message}: ${errorMessage(error)}`),
    watch: ({ sources }) => narrate(terminal, clock, sources, () => zone, failures),
  };
}

type Level = 'INFO' | 'WARN' | 'ERROR';

const LEVELS: Readonly<Record<Attempt['outcome'], Level>> = {
  accepted: 'INFO',
  skipped: 'INFO',
  retry: 'WARN',
  'gave-up': 'ERROR',
};

/** The keys `level`, `message` and `timestamp` are those of the functions in AWS. */
function jsonLog({ out }: Pick<Terminal, 'out'>, clock: Clock): ServiceLog {
  const write = (level: Level, message: string, fields: object = {}) =>
    out(JSON.stringify({ level, message, timestamp: clock.now(), ...fields }));
  return {
    started: ({ config, data, url }) =>
      write('INFO', 'started', {
        url,
        data,
        sources: config.sources.map(({ name, baseUrl }) => ({ source: name, baseUrl })),
        subscriptions: config.subscriptions.map(({ name }) => name),
      }),
    note: (message) => write('INFO', message),
    warn: (message) => write('WARN', message),
    error: (message, error) => write('ERROR', message, { error: describeError(error) }),
    watch: ({ tracing }) => ({
      unattempted: ({ delivery, group: subscription, attempt }, outcome) => {
        if (outcome.kind === 'too-late')
          write('WARN', 'given up: its rate does not allow to send it in time', { delivery, subscription, attempt });
        if (outcome.kind !== 'postponed') return;
        const { until, because } = outcome;
        write('INFO', 'postponed', { delivery, subscription, attempt, because, nextAttemptAt: until });
      },
      scanned: (report) => write(report.complete ? 'INFO' : 'WARN', 'scanned', { ...report, text: formatScan(report) }),
      scanFailed: (failed) => write('WARN', 'scan failed', { ...failed, text: formatFailedScan(failed) }),
      zoneUnknown: (source) =>
        write('WARN', 'no time zone known, so no time-driven events: set timeZone in the config', { source }),
      clockMovedBack: (source) => write('WARN', 'the clock was put back since the last scan', { source }),
      leftToAnother: (source) => write('INFO', 'another process holds the lease of this source; skipped', { source }),
      announced: (events) =>
        write('INFO', 'announced', {
          events: events.map((event) => ({
            ...{ id: event.id, type: event.type, subject: event.subject },
            ...(tracing === undefined ? {} : { trace: traceOfEvent(event) }),
          })),
        }),
      delivered: ({ delivery: { id, subscription, dueAt }, attempt, events, channel }) =>
        write(isDropped(attempt) ? 'INFO' : LEVELS[attempt.outcome], 'delivered', {
          delivery: id,
          subscription,
          channel,
          events: events.map((event) => event.id),
          traces: tracing === undefined ? undefined : events.map(traceOfEvent),
          attempt: attempt.number,
          outcome: attempt.outcome,
          status: attempt.status,
          ms: attempt.ms,
          nextAttemptAt: dueAt ?? undefined,
          error: attempt.code === undefined ? undefined : { code: attempt.code, message: attempt.message },
        }),
    }),
  };
}

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'TIDINGS_UNEXPECTED';
  return { code, message: errorMessage(error) };
}

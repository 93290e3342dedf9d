/** A valid config with every option, and ways to break it at any place. */

import fc from 'fast-check';
import type { Path } from '../../../runtime/config/problems.ts';
import { SECRET } from '../../samples.ts';

export const source = { baseUrl: 'https://work.example.com/api', token: 'tok-7f3a' };
export const hook = (part: object = {}) => ({
  name: 'hook',
  events: ['task.*'],
  to: { http: { url: 'https://ops.example.com', secret: SECRET } },
  ...part,
});

/** Uses every option except templates, which have a time limit. */
export const good = {
  sources: [
    { ...source, name: 'one', timeZone: 'Europe/Berlin', resources: { task: { every: '5m' }, invoice: 'off' } },
    { ...source, name: 'two', announceExisting: true, quota: { reserve: 0.1, perMinute: 60 } },
  ],
  mail: { from: 'Tidings <tidings@example.com>', smtp: 'smtp://localhost:587' },
  manage: { url: 'https://tidings.example.com', secret: 'a-secret-of-some-length' },
  links: { task: 'https://work.example.com/tasks/{localid}' },
  rules: { closedStatuses: ['Done'], taskDueSoon: '2d', invoiceOverdueReminders: [7, 14] },
  customEvents: [{ type: 'task.in_review', meaning: 'It is being looked at', when: { after: { status: ['Review'] } } }],
  retention: '30d',
  network: { allowHttp: true, allow: ['10.0.0.0/8'] },
  aws: { name: 'Tidings', maxConcurrency: 5, alarmEmail: 'ops@example.com' },
  subscriptions: [
    hook({
      events: ['task.in_review'],
      rate: '5/s',
      to: {
        http: {
          url: 'http://ops.example.com',
          secret: SECRET,
          headers: { 'x-key': 'abc' },
          auth: { basic: { user: 'me', password: 'secret' } },
          format: 'thin',
        },
      },
    }),
    {
      name: 'chat',
      events: ['task.*', 'invoice.paid'],
      where: { subject: [{ prefix: 'task/' }] },
      to: {
        slack: { token: 'xoxb', channel: '#team', api: 'https://slack.example.com/api/', mentions: { Ann: 'U1' } },
      },
      gather: '1m',
      quiet: { from: '20:00', until: '08:00', days: ['sat'] },
    },
    {
      name: 'people',
      events: ['task.overdue'],
      to: { email: { to: ['ann@example.com', 'ben@example.com'] } },
      digest: { at: '08:30', days: ['mon'] },
      timeZone: 'Europe/Berlin',
    },
    { name: 'bus', events: ['*'], to: { bus: { name: 'default' } }, concurrency: 4 },
  ],
};

export const placesOf = (value: unknown, path: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [...(path.length === 0 ? [] : [path]), ...below.flatMap(([key, item]) => placesOf(item, [...path, key]))];
};

export const change = (tree: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value;
  const copy: Record<PropertyKey, unknown> = Array.isArray(tree) ? Object([...tree]) : { ...Object(tree) };
  copy[key] = change(copy[key], rest, value);
  return copy;
};

/** Values that are wrong in most places. */
export const junk = fc.constantFrom<unknown>(
  5,
  -1,
  true,
  null,
  [],
  {},
  'x y!',
  { odd: 1 },
  [null],
  [[]],
  ['x y!'],
  [{}],
);

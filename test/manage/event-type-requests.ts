/** The requests with which a key with event types is tried on each route, see api-event-types.test.ts. */

/** An event of each is recorded. Those about subscriptions are about one of another. */
export const TYPES = ['task.closed', 'task.updated', 'invoice.paid', 'invoice.updated', 'subscription.failing'];

/** Values of `{resource}`: a source may be named with it. */
export const RESOURCES = ['task', 'invoice', 'main%2Ftask'];

/** @param outside the id of an event beyond the key. @param url of the attacker */
type Bodies = (name: string, outside: string, url: string) => readonly unknown[];
const none: Bodies = () => [undefined];
const asNew: Bodies = (_, __, url) => [
  { url, events: ['invoice.*'] },
  { url, events: ['task.closed'] },
  { url, events: ['*'] },
  { url, events: ['task.updated'], where: { type: [{ wildcard: '*' }] } },
  { url, query: 'task.updated' },
  { url, events: ['invoice.paid'], verify: 'ping', headers: { 'x-leak': 'derived:00000000:new:0' } },
];

/** A route without an entry fails the first test. */
export const BODIES: Readonly<Record<string, Bodies>> = {
  listEventTypes: none,
  listEvents: none,
  countEvents: none,
  forecastEvents: none,
  countWaiting: none,
  getEvent: none,
  getRecord: none,
  listFilterFields: none,
  testFilter: () => [
    ...[{ events: ['*'] }, { events: ['task.*'] }, { query: 'task.updated' }, { event: 'invoice.paid' }],
    // Nearly the name of a custom event type, which another test has.
    ...[{ query: 'task.secret_dea' }, { events: ['task.secret_dea', 'invoice.secret_dea'] }],
  ],
  listSubscriptions: none,
  createSubscription: asNew,
  putSubscription: asNew,
  getSubscription: none,
  patchSubscription: (_, __, url) => [
    { url },
    { rate: '30/m' },
    { events: ['invoice.paid'], url },
    { events: ['*'], url },
    { active: true, url },
    { url, verify: 'ping' },
    // The mark that stands for the signing secret inside the server.
    { url, verify: 'ping', headers: { 'x-leak': 'derived:00000000:new:0' }, auth: null },
    { url, verify: 'ping', headers: null, auth: { bearer: 'derived:00000000:new:0' } },
  ],
  deleteSubscription: none,
  testSubscription: () => [{}, ...TYPES.map((type) => ({ type }))],
  pauseSubscription: none,
  resumeSubscription: none,
  resubscribeReader: () => [{ address: 'ann@example.com' }],
  rotateSubscription: none,
  replaySubscription: (_, id) => [
    { since: '2d' },
    { since: '2d', type: '*' },
    { event: id },
    { event: id, person: 'main/2' },
  ],
  previewSubscription: () => [{}, { until: '400d' }],
  listSubscriptionDeliveries: none,
  listDeliveries: none,
  retryDeliveries: (name) => ['failed', 'held', 'pending'].map((status) => ({ subscription: name, status })),
  getDelivery: none,
  retryDelivery: none,
  listSources: none,
  getSource: none,
  scanSource: none,
  createSource: none,
  getSourceSettings: none,
  patchSource: none,
  deleteSource: none,
  listKeys: none,
  getMe: none,
  createKey: () => [{ name: 'more', scopes: ['read'] }],
  deleteKey: none,
  deleteKeySubscriptions: none,
  listAudit: none,
};

export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listEvents: [
    '',
    '?type=*',
    '?type=task.updated',
    '?text=mark',
    '?order=newest',
    '?subject=task/1',
    '?subject=invoice/1',
    '?limit=1',
  ],
  forecastEvents: ['', '?until=400d'],
  listFilterFields: ['', '?events=task.*', '?events=invoice.*'],
};

/**
 * A short scenario of all functions in which one call to AWS may fail: two tasks are closed, and an endpoint, a bus and a
 * person are notified. Scheduler, stream and queue repeat what failed, as in AWS. Runs it and returns the final state.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { SECOND } from '../../core/model/time.ts';
import { failOneCall, type NextFault, type OneFault, respondWithFault } from './faulty-aws.ts';
import { DIVIDED, openFunctions, startWorld, type World } from './world.ts';

/** The final state, which a fault must not change. */
export interface AwsEnding {
  /** `evt_… task.closed task/1`; those of the source without their id. */
  readonly events: readonly string[];
  /** `ops evt_… settled`, for the delivery that finally contains the event. */
  readonly carried: readonly string[];
  /** What the endpoint and the person received, without duplicates. */
  readonly taken: readonly string[];
  /** Violations that are errors even without faults. */
  readonly wrong: readonly string[];
}

/** Minutes after the last change within which all work must be finished. */
const PATIENCE = 12;

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

/** The last of the simulator's statuses. */
const CLOSED = 7;

export async function playInAws(
  fault?: OneFault,
): Promise<{ readonly ending: AwsEnding; readonly calls: readonly string[] }> {
  const failing = failOneCall(fault);
  const receivers = await startReceivers(failing.next);
  const world = await startWorld({
    simulator: { tasks: 5 },
    source: { resources: { ...Object.fromEntries(OTHERS.map((name) => [name, 'off'])), task: { every: '1m' } } },
    config: { ...configFor(receivers.url), ...DIVIDED },
  });
  const settings = { region: 'eu-central-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const clients = {
    dynamodb: world.options.clients?.dynamodb ?? world.tables.client,
    sqs: new SQSClient({ ...settings, endpoint: world.queues.endpoint }),
  };
  failing.watch(clients);
  world.secrets.nextFault = failing.next;
  const receiver = { ...settings, endpoint: receivers.url };
  const clientSettings = { ...world.options.clientSettings, mail: receiver, bus: receiver };
  const functions = openFunctions({ ...world.options, clients, clientSettings });
  try {
    const account = world.simulator.account;
    const closing = account.list('task', { excludeclosed: 't', limit: '2' });
    // A failed deployment is repeated.
    await functions.setup().catch(() => functions.setup());
    const minute = minuteOf(world, functions);
    do await minute();
    while ((await world.stores.scanStates.get('main', 'task'))?.baselinedAt == null);
    for (const { id } of closing) account.update('task', String(id), { statusid: CLOSED });
    let left = PATIENCE;
    do await minute();
    while (--left > 0 && !(await isAtRest(world)));
    const taken = receivers.taken(closing.map(({ title }) => String(title)));
    return { ending: await endingOf(world, taken), calls: [...failing.calls] };
  } finally {
    clients.sqs.destroy();
    await Promise.all([world.stop(), receivers.stop()]);
  }
}

function configFor(url: string) {
  return {
    mail: { from: 'Tidings <tidings@example.com>' },
    subscriptions: [
      // With a rate, so that the calls include the rate limiter.
      { name: 'ops', events: ['task.closed'], to: { http: { url: `${url}/hook`, secret: '${OPS}' } }, rate: '500/s' },
      { name: 'team', events: ['task.closed'], to: { email: { to: ['ann@example.com'] } } },
      { name: 'rules', events: ['task.closed'], to: { bus: { name: 'orders' } } },
    ],
  };
}

/** The invocations of one minute. Failures are repeated: by the next schedule, from the stream, from the queue. */
function minuteOf(world: World, functions: World['functions']): () => Promise<void> {
  let shard: readonly DynamoDBRecord[] = [];
  const announce = async () => {
    shard = [...shard, ...world.changes()];
    for (let tries = 0; shard.length > 0 && tries < 3; tries++) {
      const failed = await functions.announce(shard).then(
        ({ batchItemFailures: [first] }) => first?.itemIdentifier,
        () => shard[0]?.dynamodb?.SequenceNumber,
      );
      const from = shard.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
      shard = from === -1 ? [] : shard.slice(from);
    }
  };
  const drain = async () => {
    for (;;) {
      const records = await world.queues.receive();
      if (records.length === 0) return;
      const failed = await functions.deliver(records).then(
        ({ batchItemFailures }) => batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
        () => records.map(({ messageId }) => messageId),
      );
      await world.queues.settle(records, failed);
    }
  };
  return async () => {
    world.clock.advance(60 * SECOND);
    for (const scheduled of [functions.poll, functions.tick]) {
      await scheduled().catch(() => undefined);
      await announce();
      await drain();
    }
  };
}

async function isAtRest({ stores, queues }: World): Promise<boolean> {
  const due = await stores.agenda.due('9999', 1);
  const events = (await stores.events.list({ limit: 100 })).events.filter(({ type }) => type === 'task.closed');
  return due.length === 0 && queues.count() === 0 && events.length > 0;
}

async function endingOf(world: World, taken: readonly string[]): Promise<AwsEnding> {
  const { events } = await world.stores.events.list({ limit: 1000 });
  const deliveries = await world.stores.deliveries.list({ limit: 1000 });
  const carried = deliveries
    .filter(({ status }) => status !== 'gathered')
    .flatMap(({ subscription, events, status }) => events.map((id) => `${subscription} ${id} ${status}`));
  return {
    events: events.map(named).sort(),
    carried: carried.toSorted(),
    taken,
    wrong: [
      ...((await isAtRest(world)) ? [] : ['it never came to rest']),
      ...carried.filter((line, at) => carried.indexOf(line) !== at).map((line) => `carried twice: ${line}`),
      ...lostMembers(deliveries),
      ...world.queues.dead().map((body) => `dead letter: ${body}`),
    ],
  };
}

/** Faults change the versions of our own records, so their events are compared by type only. */
function named({ id, type, subject }: TidingsEvent): string {
  return /^(source|subscription)\//.test(subject) ? `${type} ${subject}` : `${id} ${type} ${subject}`;
}

function lostMembers(deliveries: readonly Delivery[]): string[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return deliveries
    .filter(({ status }) => status === 'gathered')
    .filter(({ into = '', events }) => !events.every((id) => byId.get(into)?.events.includes(id)))
    .map(({ id }) => `${id} is gathered into a delivery that does not carry it`);
}

/** An endpoint, a bus, and SES with one mailbox. */
async function startReceivers(next: NextFault) {
  const hooks: string[] = [];
  const mails: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { id?: string; type?: string } & SendEmailCommandInput &
      PutEventsCommandInput;
    if (request.url === '/hook') {
      hooks.push(`${body.id} ${body.type} ${request.headers['webhook-id']}`);
      response.writeHead(204).end();
      return;
    }
    if (request.headers['x-amz-target'] === 'AWSEvents.PutEvents') {
      const entries = body.Entries ?? [];
      const busFault = next('AWSEvents.PutEvents');
      if (busFault === undefined || busFault === 'after')
        for (const { Detail = '{}', DetailType } of entries) hooks.push(`bus ${JSON.parse(Detail).id} ${DetailType}`);
      if (busFault !== undefined) return respondWithFault(response, busFault);
      response.end(JSON.stringify({ FailedEntryCount: 0, Entries: entries.map((_, n) => ({ EventId: `bus-${n}` })) }));
      return;
    }
    const fault = next('SendEmail');
    if (fault === undefined || fault === 'after') mails.push(JSON.stringify(body.Content?.Simple));
    if (fault !== undefined) return respondWithFault(response, fault);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ MessageId: `ses-${mails.length}` }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: (titles: readonly string[]) => [
      ...[...new Set(hooks)].sort(),
      ...titles.filter((title) => mails.some((mail) => mail.includes(title))).map((title) => `mail of ${title}`),
    ],
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** What the console and the API say of messages to people: who, why not, why not yet; and that a button concerns its row. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { SECOND } from '../../core/model/time.ts';
import { type PeopleWorld, startPeopleWorld } from './people-world.ts';

let world: PeopleWorld;
let browser: Awaited<ReturnType<PeopleWorld['logInAs']>>;
beforeEach(async () => {
  world = await startPeopleWorld();
  browser = await world.logInAs();
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');

/** The forms with which a page sends an event again, in order. */
function resendForms(html: string) {
  return [...html.matchAll(/<form[^>]*\/resend"[^>]*>.*?<\/form>/gs)].map(([form]) => ({
    fields: Object.fromEntries(
      [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    ),
    text: plain(form),
  }));
}

const pump = async () => {
  world.advance(31 * SECOND);
  await world.pump();
};

describe('the page of an event', () => {
  it('names each reader, and says that one who unsubscribed was skipped', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    const id = await world.closeTask('7');
    const text = plain((await browser.get(`/console/events/${id}`)).text);
    expect(text).toContain('Ann Lee <ann@example.com> assignees delivered');
    expect(text).toContain('Ben Cole <ben@example.com> assignees skipped the reader has unsubscribed');
    expect(text).not.toContain('person 2');
    expect(world.readers().toSorted()).toEqual(['ann@example.com', 'boss@example.com', 'office@example.com']);
  });

  it('names people and statuses in what changed, also for keys that may see them', async () => {
    const id = await world.changeTask(
      '8',
      { statusid: '7', status: 'Open', assigneeid: ['2'] },
      { statusid: '2', status: 'Staged', assigneeid: ['2', '3'] },
    );
    const text = plain((await browser.get(`/console/events/${id}`)).text);
    expect(text).toContain('Status Open Staged');
    expect(text).toContain('Assigned to Ann Lee Ann Lee, Ben Cole');
    const record = plain((await browser.get('/console/records/task/8')).text);
    expect(record).toContain('Ann Lee → Ann Lee, Ben Cole');
    const { names } = (await world.ask('GET', `/events/${id}`)).body;
    expect(names).toEqual({ statusid: { 2: 'Staged', 7: 'Open' }, assigneeid: { 2: 'Ann Lee', 3: 'Ben Cole' } });
    const { token } = await world.makeKey(['operate'], ['task.*']);
    const confined = await world.ask('GET', `/events/${id}`, undefined, { key: token });
    expect(confined.body.names).toEqual({ statusid: { 2: 'Staged', 7: 'Open' } });
  });

  it('names the cause of each wait', async () => {
    const id = await world.closeTask('7');
    const text = plain((await browser.get(`/console/events/${id}`)).text);
    expect(text).toContain('digest waiting digest at Sun 15 Nov, 08:30');
    expect(text).toContain('night waiting quiet hours until 14:00');
    expect(text).toContain('stopped held the subscription is paused; it is sent when it is resumed');
    const { body } = await world.ask('GET', `/events/${id}`);
    const waits = body.deliveries.map(
      ({ subscription, wait }: { subscription: string; wait: { because: string } | null }) => [
        subscription,
        wait?.because ?? null,
      ],
    );
    expect(Object.fromEntries(waits)).toEqual({
      assignees: null,
      office: null,
      digest: 'digest',
      night: 'quiet-hours',
      stopped: 'subscription-paused',
    });
  });

  it('sends it again to the reader of the row only, once for each form, and keeps the first attempt', async () => {
    const id = await world.closeTask('7');
    const page = (await browser.get(`/console/events/${id}`)).text;
    const form = resendForms(page).find(({ text }) => text.includes('to Ben Cole'));
    expect(form?.text).toContain('Resend');
    world.mailbox.clear();
    const first = await browser.post(`/console/events/${id}/resend`, form?.fields ?? {});
    expect(first.status).toBe(303);
    // Reloaded, or sent again after the process ended: the same request.
    await browser.post(`/console/events/${id}/resend`, form?.fields ?? {});
    await pump();
    await pump();
    expect(world.readers()).toEqual(['ben@example.com']);
    const text = plain((await browser.get(`/console/events/${id}`)).text);
    expect(text.match(/Ben Cole <ben@example.com> assignees delivered/g)).toHaveLength(1);
    expect(text).toContain('Sent before');
    const { body } = await world.ask('GET', `/events/${id}`);
    expect(body.subscriptions.map(({ earlier }: { earlier: string[] }) => earlier.length).toSorted()).toEqual([
      0, 0, 0, 0, 0, 1,
    ]);
  });

  it('asks before it sends to several addresses, and names them', async () => {
    const id = await world.closeTask('7');
    const page = (await browser.get(`/console/events/${id}`)).text;
    const form = resendForms(page).find(({ text }) => text.includes('to office'));
    world.mailbox.clear();
    const asked = await browser.post(`/console/events/${id}/resend`, form?.fields ?? {});
    expect([asked.status, plain(asked.text).includes('Send it to 2 readers?')]).toEqual([200, true]);
    expect(asked.text).toContain('boss@example.com');
    await pump();
    expect(world.readers()).toEqual([]);
    await browser.post(`/console/events/${id}/resend`, { ...form?.fields, confirmed: 'yes' });
    await pump();
    expect(world.readers().toSorted()).toEqual(['boss@example.com', 'office@example.com']);
  });

  it('offers no button for what waits or is held: it would be sent twice', async () => {
    const id = await world.closeTask('7');
    const forms = resendForms((await browser.get(`/console/events/${id}`)).text);
    expect(forms.map(({ fields }) => fields.subscription).toSorted()).toEqual(['assignees', 'assignees', 'office']);
  });
});

describe('lists of deliveries', () => {
  it('name the reader, the reason of a skip and the cause of a wait', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    await world.closeTask('7');
    const text = plain((await browser.get('/console/deliveries')).text);
    expect(text).toContain('to assignees · Ben Cole <ben@example.com> the reader has unsubscribed');
    expect(text).toContain('to digest digest at Sun 15 Nov, 08:30');
  });
});

describe('the API', () => {
  it('sends an event again to one person', async () => {
    const id = await world.closeTask('7');
    world.mailbox.clear();
    const replay = (body: object) => world.ask('POST', '/subscriptions/assignees/replay', body);
    expect((await replay({ event: id, dryRun: true })).body).toEqual({ count: 1, messages: 2, dryRun: true });
    expect((await replay({ event: id, person: 'main/2' })).body).toEqual({ count: 1, messages: 1, dryRun: false });
    await pump();
    expect(world.readers()).toEqual(['ann@example.com']);
  });

  it('refuses a person whom the event does not concern, and one for a subscription without people', async () => {
    const id = await world.closeTask('7');
    const stranger = await world.ask('POST', '/subscriptions/assignees/replay', { event: id, person: 'main/9' });
    expect([stranger.status, stranger.body.errors[0].detail]).toEqual([
      409,
      'expected a reader of this event: main/2, main/3',
    ]);
    const noPeople = await world.ask('POST', '/subscriptions/office/replay', { event: id, person: 'main/2' });
    expect([noPeople.status, noPeople.body.errors[0].pointer]).toEqual([409, '/person']);
  });

  it('counts a skip as a skip, and names the reader', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    await world.closeTask('7');
    const { body } = await world.ask('GET', '/subscriptions/assignees/deliveries?status=settled');
    const rows = body.data.map(({ reader, skipped }: { reader: { name: string }; skipped: string | null }) => [
      reader.name,
      skipped,
    ]);
    expect(Object.fromEntries(rows)).toEqual({ 'Ann Lee': null, 'Ben Cole': 'the reader has unsubscribed' });
  });

  it('names no people to a key that may not see them', async () => {
    const id = await world.closeTask('7');
    const { token } = await world.makeKey(['operate'], ['task.*']);
    const { status, body } = await world.ask('GET', `/events/${id}`, undefined, { key: token });
    expect(status).toBe(200);
    const personal = body.deliveries.filter(({ person }: { person?: string }) => person !== undefined);
    expect(personal).toHaveLength(2);
    expect(personal.map(({ reader }: { reader: object }) => reader)).toEqual(
      expect.arrayContaining([{ person: 'main/2', name: null, address: null }]),
    );
    expect(JSON.stringify(personal)).not.toMatch(/Ann|ann@example.com|Ben|ben@example.com/);
    const people = (await world.makeKey(['operate'], ['task.*', 'person.*'])).token;
    const named = await world.ask('GET', `/events/${id}`, undefined, { key: people });
    expect(JSON.stringify(named.body.deliveries)).toContain('Ann Lee');
  });
});

describe('readers who unsubscribed', () => {
  it('are listed on the subscription with the way back, which the audit trail names', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    const text = plain((await browser.get('/console/subscriptions/assignees')).text);
    expect(text).toContain('Ben Cole <ben@example.com> Subscribe again');
    const reader = await world.logInAs('read');
    expect(plain((await reader.get('/console/subscriptions/assignees')).text)).not.toContain('Subscribe again');
    const csrf = await browser.csrf('/console/subscriptions/assignees');
    const form = { csrf, address: 'ben@example.com' };
    const { location } = await browser.post('/console/subscriptions/assignees/resubscribe', form);
    expect(location).toBe('/console/subscriptions/assignees?done=resubscribed');
    expect((await world.ask('GET', '/subscriptions/assignees')).body.unsubscribed).toEqual([]);
    const { entries } = await world.api.audit.page({ limit: 1 });
    expect(entries[0]).toMatchObject({
      action: 'reader.resubscribed',
      target: 'subscription/assignees',
      details: { address: 'ben@example.com' },
      by: { kind: 'console', id: 'ann' },
    });
    await world.closeTask('7');
    expect(world.readers()).toContain('ben@example.com');
  });

  it('are subscribed again through the API by a key that may change the subscription', async () => {
    await world.unsubscribe('office', 'boss@example.com');
    const path = '/subscriptions/office/resubscribe';
    const readOnly = (await world.makeKey(['read'])).token;
    expect((await world.ask('POST', path, { address: 'boss@example.com' }, { key: readOnly })).status).toBe(403);
    const wrong = await world.ask('POST', path, { address: 'zoe@example.com' });
    expect([wrong.status, wrong.body.errors[0].detail]).toEqual([
      409,
      "expected one of boss@example.com, got 'zoe@example.com'",
    ]);
    const { status, body } = await world.ask('POST', path, { address: 'Boss@example.com' });
    expect([status, body.unsubscribed]).toEqual([200, []]);
  });

  it('are shown to a key that may not see people only if the subscription lists their address', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    await world.unsubscribe('office', 'boss@example.com');
    const { token } = await world.makeKey(['operate'], ['task.*']);
    const of = async (name: string) =>
      (await world.ask('GET', `/subscriptions/${name}`, undefined, { key: token })).body.unsubscribed;
    expect([await of('assignees'), await of('office')]).toEqual([[], ['boss@example.com']]);
    const blind = await world.ask(
      'POST',
      '/subscriptions/assignees/resubscribe',
      { address: 'ben@example.com' },
      { key: token },
    );
    expect(blind.status).toBe(409);
  });
});

describe('what a mail server says of a reader', () => {
  const SAID = 'mailbox of Ann Lee is closed';

  it('is shown to those who may see people: not in the state of the subscription, nor in events about it', async () => {
    await world.unsubscribe('assignees', 'ben@example.com');
    const { token: key } = await world.makeKey(['operate'], ['task.*', 'subscription.*']);
    const body = { name: 'watcher', url: world.receiver.url, events: ['subscription.*'] };
    const { name: watcher } = (await world.ask('POST', '/subscriptions', body, { key })).body;
    world.mailbox.setFaults({ recipients: { 'ann@example.com': { code: 550, text: SAID } } });
    await world.closeTask('7');
    await world.announce();
    await pump();

    const [failing] = (await world.ask('GET', '/events?type=subscription.failing')).body.data;
    const seen = await Promise.all(
      [
        ...['/subscriptions', '/subscriptions/assignees', '/subscriptions/assignees/deliveries', '/events'],
        ...[`/events/${failing.id}`, `/subscriptions/${watcher}/deliveries`],
      ].map((path) => world.ask('GET', path, undefined, { key })),
    );
    const changed = await Promise.all([
      world.ask('POST', '/subscriptions/assignees/pause', {}, { key }),
      world.ask('POST', '/filters/test', { events: ['subscription.*'] }, { key }),
    ]);
    expect([...seen, ...changed].map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    const text = JSON.stringify([seen.map((one) => one.body), changed.map((one) => one.body), world.receiver.received]);
    for (const hidden of [SAID, 'ann@example.com', 'ben@example.com', 'Ann Lee', 'Ben Cole']) {
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    }
    // The code is for all of them.
    const general = 'a message to one person failed (TIDINGS_MAIL_REFUSED)';
    expect(seen[1]?.body.reason).toBe(general);
    expect(failing.data.record.reason).toBe(general);
    expect(world.receiver.received.some((sent) => sent.body.includes(general))).toBe(true);

    const { reason } = (await world.ask('GET', '/subscriptions/assignees')).body;
    expect(reason).toContain(SAID);
    expect(plain((await browser.get('/console/subscriptions/assignees')).text)).toContain(SAID);
  });

  it('is hidden in what version 1.0.0 stored', async () => {
    await changeHealth(world.api, 'assignees', 'person', (health) => ({ ...health, state: 'failing', reason: SAID }));
    const { token: key } = await world.makeKey(['operate'], ['task.*']);
    const reasonFor = async (options?: { readonly key: string }) =>
      (await world.ask('GET', '/subscriptions/assignees', undefined, options)).body.reason;
    expect([await reasonFor({ key }), await reasonFor()]).toEqual(['a message to one person failed', SAID]);
  });
});

describe('the list of events', () => {
  it('has one row for the events of one change, and of a record within a minute, and a way to open all', async () => {
    await world.changeTask('8', { statusid: '7', status: 'Open' }, { statusid: '2', status: 'Staged' });
    const events = (await world.ask('GET', '/events?subject=task/8')).body.data;
    expect(events.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'task.status_changed',
      'task.updated',
    ]);
    const rows = (html: string) => html.match(/<a class="row" href="\/console\/events\//g)?.length;
    const grouped = (await browser.get('/console/events')).text;
    expect(rows(grouped)).toBe(1);
    expect(plain(grouped)).toMatch(/Task 8 .*is now Staged/);
    expect(rows((await browser.get('/console/events?each=1')).text)).toBe(2);
    const later = world.embedded.snapshots;
    const [one] = [...(await later.getMany('main', 'task', ['8'])).values()];
    if (one === undefined) throw new Error('the task is missing');
    await later.commit([
      { snapshot: { ...one, version: 3, record: { ...one.record, statusid: '4', status: 'Tested' } }, expected: 2 },
    ]);
    await world.announce();
    const both = (await browser.get('/console/events')).text;
    expect(both).toContain('1 more change of it in this minute');
    expect(both.match(/<li id="evt_/g)).toHaveLength(1);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { call, sendJson, startTestApp, type TestApp } from './slack-app.ts';

const PEOPLE = [
  { id: 'U024ANN', name: 'Ann Vogt' },
  { id: 'U025BEN', name: 'Ben Roth' },
];

let app: TestApp;
let slack: Slack;
let now = 1_763_200_000_000;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.received.length = 0;
  app.answer = (_, response) => response.end();
  slack = await startSlack({
    now: () => now,
    people: PEOPLE,
    perSecond: Number.POSITIVE_INFINITY,
    app: { urls: app.url, ackTimeoutMs: 60_000, retryDelaysMs: [0, 0, 0], events: ['app_mention', 'app_home_opened'] },
  });
});
afterEach(() => slack.close());

const plain = (text: string) => ({ type: 'plain_text', text });
const button = (action: string) => ({ type: 'button', action_id: action, text: plain(action), value: `of ${action}` });
const actions = (...elements: object[]) => ({ type: 'actions', block_id: 'row', elements });
const last = () => app.received.at(-1)?.body;
const ann = () => slack.as('U024ANN');

const postTo = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) });

/** A trigger of Ann's that the app received just now. */
async function trigger(): Promise<string> {
  await ann().type('general', '/tidings');
  return last().trigger_id;
}

const MODAL = {
  type: 'modal',
  callback_id: 'subscribe',
  private_metadata: 'C1',
  title: plain('Subscribe'),
  submit: plain('Save'),
  blocks: [
    { type: 'input', block_id: 'what', label: plain('What'), element: { type: 'plain_text_input', action_id: 'text' } },
    {
      type: 'input',
      block_id: 'when',
      optional: true,
      label: plain('When'),
      element: {
        type: 'static_select',
        action_id: 'choice',
        options: ['daily', 'at once'].map((value) => ({ text: plain(value), value })),
        initial_option: { text: plain('daily'), value: 'daily' },
      },
    },
    {
      type: 'input',
      block_id: 'days',
      optional: true,
      label: plain('Days'),
      element: {
        type: 'checkboxes',
        action_id: 'list',
        options: ['mon', 'tue'].map((value) => ({ text: plain(value), value })),
      },
    },
    {
      type: 'input',
      block_id: 'at',
      optional: true,
      label: plain('At'),
      element: { type: 'timepicker', action_id: 'time', initial_time: '08:30' },
    },
    actions(button('preview')),
  ],
};

describe('a button of a message', () => {
  it('sends who pressed what in which message, with a response URL that replaces it', async () => {
    const { ts } = await call(slack, 'chat.postMessage', {
      channel: 'general',
      text: 'x',
      attachments: [{ color: '#ff0000', blocks: [actions(button('why'), button('snooze'))] }],
    });
    await ann().press('general', ts, { action: 'snooze' });
    expect(last()).toMatchObject({
      type: 'block_actions',
      user: { id: 'U024ANN', username: 'ann', team_id: 'T00000001' },
      channel: { id: slack.channel('general').id, name: 'general' },
      container: { type: 'message_attachment', message_ts: ts, is_ephemeral: false },
      message: { ts, bot_id: 'B00000001' },
      actions: [{ type: 'button', action_id: 'snooze', block_id: 'row', value: 'of snooze' }],
    });
    expect((await postTo(last().response_url, { text: 'for Ann' })).status).toBe(200);
    expect((await postTo(last().response_url, { text: 'changed', replace_original: true })).status).toBe(200);
    expect(slack.messages).toMatchObject([{ ts, text: 'changed', attachments: [], isEdited: true }]);
    expect(ann().sees('general')).toHaveLength(2);
    expect(slack.as('U025BEN').sees('general')).toHaveLength(1);
  });

  it('works in an ephemeral message for its reader, without its content, and can remove it', async () => {
    const blocks = [actions(button('confirm'))];
    await call(slack, 'chat.postEphemeral', { channel: 'general', user: 'U024ANN', text: 'x', blocks });
    const [message] = ann().sees('general');
    const ts = message?.ts ?? '';
    await expect(slack.as('U025BEN').press('general', ts, { action: 'confirm' })).rejects.toThrow('sees no message');
    await ann().press('general', ts, { action: 'confirm' });
    expect(last()).toMatchObject({ container: { type: 'message', is_ephemeral: true } });
    expect(last()).not.toHaveProperty('message');
    await postTo(last().response_url, { delete_original: true });
    expect(ann().sees('general')).toEqual([]);
  });

  it('keeps what was chosen in the other elements of the message', async () => {
    const choice = (action: string) => ({
      type: 'static_select',
      action_id: action,
      options: [{ text: plain('one'), value: '1' }],
    });
    const blocks = [actions(choice('first'), choice('second'))];
    const { ts } = await call(slack, 'chat.postMessage', { channel: 'general', text: 'x', blocks });
    await ann().press('general', ts, { action: 'first', value: '1' });
    await ann().press('general', ts, { action: 'second', value: '1' });
    expect(last()).toMatchObject({
      actions: [{ type: 'static_select', selected_option: { value: '1' } }],
      state: { values: { row: { first: { selected_option: { value: '1' } }, second: { type: 'static_select' } } } },
    });
  });

  it('shows the person that the app did not respond', async () => {
    const { ts } = await call(slack, 'chat.postMessage', {
      channel: 'general',
      text: 'x',
      blocks: [actions(button('why'))],
    });
    app.answer = (_, response) => response.writeHead(503).end();
    await ann().press('general', ts, { action: 'why' });
    expect(ann().sees('general').at(-1)?.text).toContain('did not respond');
  });
});

describe('a modal', () => {
  it('opens with a trigger once, within three seconds', async () => {
    const id = await trigger();
    expect(await call(slack, 'views.open', { trigger_id: id, view: MODAL })).toMatchObject({
      ok: true,
      view: {
        type: 'modal',
        callback_id: 'subscribe',
        state: { values: { at: { time: { selected_time: '08:30' } } } },
      },
    });
    expect(await call(slack, 'views.open', { trigger_id: id, view: MODAL })).toMatchObject({
      error: 'exchanged_trigger_id',
    });
    const late = await trigger();
    now += 3000;
    expect(await call(slack, 'views.open', { trigger_id: late, view: MODAL })).toMatchObject({
      error: 'expired_trigger_id',
    });
    expect(await call(slack, 'views.open', { trigger_id: 'x', view: MODAL })).toMatchObject({
      error: 'invalid_trigger_id',
    });
  });

  it('sends what was entered when it is submitted, and closes', async () => {
    await call(slack, 'views.open', { trigger_id: await trigger(), view: MODAL });
    await ann().submit({ what: 'task.overdue', choice: 'at once', list: ['mon', 'tue'], at: { time: '09:15' } });
    expect(last()).toMatchObject({
      type: 'view_submission',
      user: { id: 'U024ANN' },
      view: {
        callback_id: 'subscribe',
        private_metadata: 'C1',
        state: {
          values: {
            what: { text: { type: 'plain_text_input', value: 'task.overdue' } },
            when: { choice: { type: 'static_select', selected_option: { value: 'at once' } } },
            days: { list: { type: 'checkboxes', selected_options: [{ value: 'mon' }, { value: 'tue' }] } },
            at: { time: { type: 'timepicker', selected_time: '09:15' } },
          },
        },
      },
    });
    expect(ann().modal()).toBeUndefined();
  });

  it('stays open without a required value, and with errors of the app', async () => {
    await call(slack, 'views.open', { trigger_id: await trigger(), view: MODAL });
    await ann().submit();
    expect(last()).not.toHaveProperty('view');
    expect(ann().modal()?.errors).toEqual({ what: 'Please complete this required field.' });
    app.answer = (_, response) => sendJson(response, { response_action: 'errors', errors: { what: 'No such event.' } });
    await ann().submit({ what: 'tusk' });
    expect(ann().modal()).toMatchObject({
      errors: { what: 'No such event.' },
      values: { what: { text: { value: 'tusk' } } },
    });
    app.answer = (_, response) => sendJson(response, { response_action: 'errors', errors: { nowhere: 'x' } });
    await ann().submit();
    expect(Object.values(ann().modal()?.errors ?? {}).join()).toContain('trouble connecting (invalid_response)');
  });

  it('is updated, covered by another and cleared by the answer to a submission', async () => {
    await call(slack, 'views.open', { trigger_id: await trigger(), view: MODAL });
    const next = { ...MODAL, title: plain('Second') };
    const answers = [
      { response_action: 'update', view: next },
      { response_action: 'push', view: { ...next, title: plain('Third') } },
      { response_action: 'clear' },
    ];
    const titles: unknown[] = [];
    for (const answer of answers) {
      app.answer = (_, response) => sendJson(response, answer);
      await ann().submit({ what: 'x' });
      titles.push(ann().modal()?.sent.title);
    }
    expect(titles).toEqual([plain('Second'), plain('Third'), undefined]);
  });

  it('sends its buttons with what was entered so far, and is updated by hash', async () => {
    const { view } = await call(slack, 'views.open', { trigger_id: await trigger(), view: MODAL });
    await ann().pressInView('modal', { action: 'preview' }, { what: 'task.overdue' });
    expect(last()).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: view.id },
      view: { state: { values: { what: { text: { value: 'task.overdue' } } } } },
      actions: [{ action_id: 'preview' }],
    });
    expect(last()).not.toHaveProperty('response_url');
    const update = (hash: string) => call(slack, 'views.update', { view_id: view.id, hash, view: MODAL });
    expect(await update('old')).toMatchObject({ error: 'hash_conflict' });
    expect(await update(view.hash)).toMatchObject({ ok: true });
    expect(ann().modal()?.values.what?.text?.value).toBe('task.overdue');
    expect(await call(slack, 'views.update', { view_id: 'V0', view: MODAL })).toMatchObject({ error: 'not_found' });
  });

  it('has a stack of three, and says when it was closed', async () => {
    const notifying = { ...MODAL, notify_on_close: true };
    await call(slack, 'views.open', { trigger_id: await trigger(), view: MODAL });
    for (const expected of [{ ok: true }, { ok: true }, { error: 'push_limit_reached' }])
      expect(await call(slack, 'views.push', { trigger_id: await trigger(), view: notifying })).toMatchObject(expected);
    await ann().closeModal();
    expect(last()).toMatchObject({ type: 'view_closed', is_cleared: false, view: { callback_id: 'subscribe' } });
    expect(ann().modal()).toBeDefined();
  });
});

describe('an event', () => {
  it('says who mentioned the app in which thread', async () => {
    const { ts } = await call(slack, 'chat.postMessage', { channel: 'general', text: 'a root' });
    await ann().type('general', '@Tidings subscribe total>=500 https://example.com/a?b&c', ts);
    expect(last()).toMatchObject({
      type: 'event_callback',
      team_id: 'T00000001',
      authorizations: [{ user_id: 'U00TIDINGS', is_bot: true }],
      event: {
        type: 'app_mention',
        user: 'U024ANN',
        text: '<@U00TIDINGS> subscribe total&gt;=500 <https://example.com/a?b&amp;c>',
        thread_ts: ts,
        channel: slack.channel('general').id,
      },
    });
  });

  it('is sent up to three times more until the app accepts it', async () => {
    const statuses = [500, 500, 200];
    app.answer = (_, response) => response.writeHead(statuses.shift() ?? 200).end();
    await ann().type('general', '@Tidings help');
    await expect.poll(() => app.received.length).toBe(3);
    const ids = app.received.map(({ body }) => body.event_id);
    expect(new Set(ids).size).toBe(1);
    const tries = app.received.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']]);
    expect(tries).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
  });

  it('is not sent again when the app asks for that', async () => {
    app.answer = (_, response) => response.writeHead(500, { 'x-slack-no-retry': '1' }).end();
    await ann().type('general', '@Tidings help');
    app.answer = (_, response) => response.end();
    await ann().type('general', '@Tidings help');
    expect(app.received).toHaveLength(2);
  });

  it('is not sent for a channel without the bot, which can be invited', async () => {
    slack.channel('finance').hasBot = false;
    await ann().type('finance', '@Tidings help');
    expect(app.received).toEqual([]);
    expect(ann().sees('finance').at(-1)?.text).toContain('/invite @Tidings');
    await ann().type('finance', '/invite @Tidings');
    await ann().type('finance', '@Tidings help');
    expect(last().event.type).toBe('app_mention');
  });

  it('says that a person opened the Home tab, which the app publishes', async () => {
    await ann().openHome();
    expect(last().event).toMatchObject({ type: 'app_home_opened', user: 'U024ANN', tab: 'home' });
    const home = { type: 'home', blocks: [actions(button('list'))] };
    expect(await call(slack, 'views.publish', { user_id: 'U024ANN', view: home })).toMatchObject({ ok: true });
    expect(ann().home()?.blocks).toHaveLength(1);
    expect(slack.as('U025BEN').home()).toBeUndefined();
    await ann().pressInView('home', { action: 'list' });
    expect(last()).toMatchObject({ type: 'block_actions', view: { type: 'home' }, actions: [{ action_id: 'list' }] });
  });

  it('starts with the verification of the request URL', async () => {
    expect(await slack.app.verifyUrl()).toBe(false);
    app.answer = ({ body }, response) => sendJson(response, { challenge: body.challenge });
    expect(await slack.app.verifyUrl()).toBe(true);
  });
});

/** The page of the simulated Slack without a browser: hostile text, forms without script, and what each person may see. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { call, TestSocket } from './slack-app.ts';

const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const NOW = 1_763_200_000_000;

let slack: Slack;

beforeEach(async () => {
  slack = await startSlack({
    now: () => NOW,
    perSecond: Number.POSITIVE_INFINITY,
    people: [
      { id: 'U024ANN', name: `Ann ${EVIL}`, note: EVIL },
      { id: 'U025BEN', name: 'Ben Roth' },
    ],
    channels: ['general', { name: `board${EVIL}`, isPrivate: true, members: ['U024ANN'] }],
    hints: [EVIL],
    app: { name: 'Tidings', ackTimeoutMs: 60_000 },
  });
});
afterEach(() => slack.close());

const plain = (text: string) => ({ type: 'plain_text', text });
const short = (text: string) => plain(text.slice(0, 70));
const option = { text: short(EVIL), value: EVIL, description: short(EVIL) };
const page = async (query: Record<string, string> = {}) =>
  (await fetch(`${slack.url}/?${new URLSearchParams(query)}`)).text();

/** Every element and every text that an app can send, with hostile content. */
const INPUTS = [
  { type: 'plain_text_input', initial_value: EVIL, placeholder: short(EVIL) },
  { type: 'plain_text_input', multiline: true, initial_value: `</textarea>${EVIL}` },
  { type: 'static_select', options: [option], initial_option: option, placeholder: short(EVIL) },
  { type: 'multi_static_select', option_groups: [{ label: short(EVIL), options: [option] }] },
  { type: 'checkboxes', options: [option], initial_options: [option] },
  { type: 'radio_buttons', options: [option] },
  { type: 'users_select' },
  { type: 'conversations_select' },
  { type: 'datepicker' },
  { type: 'timepicker' },
  { type: 'number_input', is_decimal_allowed: true },
].map((element, index) => ({
  type: 'input',
  block_id: `${EVIL}${index}`,
  label: plain(EVIL),
  hint: plain(EVIL),
  element: { ...element, action_id: EVIL },
}));
const BLOCKS = [
  { type: 'header', text: plain(EVIL) },
  {
    type: 'section',
    text: { type: 'mrkdwn', text: `${EVIL} <https://x.example/"onclick=|${EVIL}> <#C1|${EVIL}> :x: ${EVIL}` },
    accessory: { type: 'overflow', action_id: EVIL, options: [option] },
  },
  { type: 'image', image_url: 'https://example.com/a.png', alt_text: EVIL },
  {
    type: 'actions',
    elements: [
      {
        type: 'button',
        action_id: EVIL,
        text: short(EVIL),
        value: EVIL,
        confirm: { title: plain(EVIL), text: plain(EVIL), confirm: plain('y'), deny: plain('n') },
      },
      { type: 'button', text: short(EVIL), url: `https://x.example/${EVIL}` },
      { type: 'button', text: short('link'), url: 'javascript:alert(1)' },
    ],
  },
];

/** The page has one script, its own, and no element that posted text could have made. */
function expectHarmless(html: string): void {
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toMatch(/<img|href="javascript/);
}

describe('the page of the simulated Slack', () => {
  it('escapes hostile text in messages, names, notes, hints and addresses', async () => {
    expect(await call(slack, 'chat.postMessage', { channel: 'general', text: EVIL, blocks: BLOCKS })).toMatchObject({
      ok: true,
    });
    await slack.as('U024ANN').type('general', EVIL);
    expectHarmless(await page());
    expectHarmless(await page({ channel: EVIL, as: EVIL, thread: EVIL }));
  });

  it('escapes hostile text in modals and Home tabs', async () => {
    const home = { type: 'home', blocks: [...BLOCKS, ...INPUTS] };
    expect(await call(slack, 'views.publish', { user_id: 'U024ANN', view: home })).toMatchObject({ ok: true });
    expectHarmless(await page({ channel: 'home-tab' }));
    const modal = { type: 'modal', title: plain(EVIL.slice(0, 24)), submit: plain('Save'), blocks: INPUTS };
    const socket = await TestSocket.open(slack);
    await slack.as('U024ANN').type('general', '/tidings');
    const payload = socket.envelopes[0]?.payload as { trigger_id: string } | undefined;
    expect(await call(slack, 'views.open', { trigger_id: payload?.trigger_id, view: modal })).toMatchObject({
      ok: true,
    });
    expectHarmless(await page());
  });

  it('works without script: a form is answered with the page', async () => {
    const response = await fetch(`${slack.url}/act/type`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ as: 'U025BEN', channel: 'general', back: 'general', text: 'hello' }),
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/?channel=general&as=U025BEN');
    expect(await page({ as: 'U025BEN' })).toContain('hello');
  });

  it('stays on its own address, whatever a form says', async () => {
    const response = await fetch(`${slack.url}/act/close`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ as: 'U025BEN', back: '//evil.example/' }),
    });
    expect(response.headers.get('location')).toMatch(/^\/\?channel=/);
  });

  it('refuses what the person cannot do', async () => {
    const act = async (action: string, fields: Record<string, string>) =>
      (await fetch(`${slack.url}/act/${action}`, { method: 'POST', body: new URLSearchParams(fields) })).status;
    const board = slack.channels[1]?.id ?? '';
    expect(await act('type', { as: 'U025BEN', channel: board, text: 'x' })).toBe(400);
    expect(await act('type', { as: 'U0NOBODY', channel: 'general', text: 'x' })).toBe(400);
    expect(await act('press', { as: 'U025BEN', channel: 'general', ts: '1.1', press: 'no JSON' })).toBe(400);
    expect(await act('dance', { as: 'U025BEN' })).toBe(400);
    expect(await page({ as: 'U025BEN' })).not.toContain('board');
  });

  it('sends a policy that allows its own script and style only', async () => {
    const { headers } = await fetch(slack.url);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*script-src 'sha256-/);
  });
});

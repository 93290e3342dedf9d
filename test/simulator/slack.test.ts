import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mrkdwnHtml } from '../../simulator/slack/markup.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';

let slack: Slack;
let now = 1_763_200_000_000;

beforeEach(async () => {
  slack = await startSlack({ now: () => now, members: { U024ANN: 'Ann Vogt' } });
});

afterEach(() => slack.close());

const plain = (text: string) => ({ type: 'plain_text', text });
const marked = (text: string) => ({ type: 'mrkdwn', text });
const section = (text: object) => ({ type: 'section', text });
const rich = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});

async function hook(body: unknown): Promise<{ status: number; text: string; retryAfter: string | null }> {
  now += 1000;
  const answer = await fetch(slack.webhookUrl, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

async function api(body: object, headers: Record<string, string> = { authorization: `Bearer ${slack.token}` }) {
  now += 1000;
  const answer = await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { ok: boolean; error?: string; ts?: string };
}

const page = async (path = '/') => (await fetch(`${slack.url}${path}`)).text();

describe('the simulated Slack', () => {
  it('accepts messages within the limits', async () => {
    const blocks = [
      { type: 'header', text: plain('x'.repeat(150)) },
      section(marked('x'.repeat(3000))),
      { type: 'section', fields: Array.from({ length: 10 }, () => plain('x'.repeat(50))) },
      { type: 'context', elements: Array.from({ length: 10 }, () => marked('x')) },
      { type: 'divider' },
      rich({ type: 'text', text: 'x' }, { type: 'link', url: 'https://example.com', text: 'y' }),
    ];
    expect(await hook({ text: 'x', blocks, attachments: [{ color: '#ff0000', blocks }] })).toMatchObject({
      text: 'ok',
    });
    expect(slack.messages).toHaveLength(1);
  });

  it.each([
    ['51 blocks', Array.from({ length: 51 }, () => ({ type: 'divider' }))],
    ['a header of 151', [{ type: 'header', text: plain('x'.repeat(151)) }]],
    ['a header with marks', [{ type: 'header', text: marked('x') }]],
    ['a section of 3,001', [section(plain('x'.repeat(3001)))]],
    ['a section without anything', [{ type: 'section' }]],
    ['an empty text', [section(plain(''))]],
    ['11 fields', [{ type: 'section', fields: Array.from({ length: 11 }, () => plain('x')) }]],
    ['a field of 2,001', [{ type: 'section', fields: [plain('x'.repeat(2001))] }]],
    ['11 elements of context', [{ type: 'context', elements: Array.from({ length: 11 }, () => plain('x')) }]],
    ['no elements of context', [{ type: 'context', elements: [] }]],
    ['emoji in mrkdwn', [section({ ...marked('x'), emoji: false })]],
    ['an unknown block', [{ type: 'carousel' }]],
    ['an empty piece of rich text', [rich({ type: 'text', text: '' })]],
    ['a link that is none', [rich({ type: 'link', url: 'nowhere', text: 'x' })]],
    ['a member that is none', [rich({ type: 'user', user_id: 'ann' })]],
    ['an unpaired surrogate', [section(plain('\ud800'))]],
  ])('refuses %s', async (_, blocks) => {
    const answer = await hook({ text: 'x', blocks });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/^invalid_payload: blocks/);
    expect(await api({ channel: 'general', text: 'x', blocks })).toMatchObject({ ok: false, error: 'invalid_blocks' });
    const attached = { text: 'x', attachments: [{ color: '#ff0000', blocks }] };
    expect((await hook(attached)).text).toMatch(/^invalid_payload: attachments\/0\/blocks/);
  });

  it('refuses a message that is too long, one without text, and invalid JSON', async () => {
    const blocks = Array.from({ length: 5 }, () => section(plain('x'.repeat(2900))));
    expect(await api({ channel: 'general', text: 'x', blocks })).toMatchObject({ error: 'msg_blocks_too_long' });
    expect(await api({ channel: 'general' })).toMatchObject({ error: 'no_text' });
    expect(await hook({})).toMatchObject({ status: 400, text: 'no_text' });
    expect(await hook('{')).toMatchObject({ status: 400, text: 'invalid_payload' });
  });

  it('accepts one message a second per channel and sends Retry-After', async () => {
    expect((await hook({ text: 'one' })).status).toBe(200);
    now -= 1000;
    expect(await hook({ text: 'two' })).toMatchObject({ status: 429, retryAfter: '1' });
    now -= 1000;
    expect(await api({ channel: 'finance', text: 'elsewhere' })).toMatchObject({ ok: true });
    expect(await hook({ text: 'two' })).toMatchObject({ status: 200 });
  });

  it('checks token, channel and thread', async () => {
    const text = 'x';
    expect(await api({ channel: 'general', text }, {})).toMatchObject({ error: 'not_authed' });
    expect(await api({ channel: 'general', text }, { authorization: 'Bearer no' })).toMatchObject({
      error: 'invalid_auth',
    });
    expect(await api({ channel: 'nowhere', text })).toMatchObject({ error: 'channel_not_found' });
    expect(await api({ channel: '#finance', text, thread_ts: '1.2' })).toMatchObject({ error: 'thread_not_found' });
    const { ts = '' } = await api({ channel: slack.channel('finance').id, text });
    expect(await api({ channel: 'finance', text, thread_ts: ts })).toMatchObject({ ok: true });
    slack.archive('finance');
    expect(await api({ channel: 'finance', text })).toMatchObject({ error: 'is_archived' });
    slack.removeApp();
    expect(await api({ channel: 'general', text })).toMatchObject({ error: 'account_inactive' });
    expect(await hook({ text })).toMatchObject({ status: 404, text: 'no_service' });
  });

  it('injects a fault the configured number of times', async () => {
    slack.setFault({ status: 503, times: 1 });
    expect((await hook({ text: 'x' })).status).toBe(503);
    expect((await hook({ text: 'x' })).status).toBe(200);
    expect(slack.requests).toBe(2);
  });
});

describe('its page', () => {
  it('shows the messages of a channel, threads below their root', async () => {
    const { ts } = await api({ channel: 'finance', text: 'the root' });
    await api({ channel: 'finance', text: 'the reply', thread_ts: ts });
    const html = await page();
    expect(html).toMatch(/the root.*1 reply.*the reply/s);
    expect(await page('/?channel=general')).toContain('No messages yet.');
  });

  it('shows the latest activity first, and updates itself without a reload', async () => {
    const { ts } = await api({ channel: 'finance', text: 'the first' });
    await api({ channel: 'finance', text: 'the second' });
    expect(await page()).toMatch(/<main data-live>.*the second.*the first/s);
    await api({ channel: 'finance', text: 'a reply', thread_ts: ts });
    const html = await page();
    expect(html).toMatch(/the first.*a reply.*the second/s);
    expect(html).toContain(`data-key="${ts}"`);
    expect(html).not.toContain('http-equiv');
  });

  it('opens its home channel as soon as it has messages', async () => {
    await slack.close();
    slack = await startSlack({ now: () => now, home: 'projects' });
    await hook({ text: 'to the first channel' });
    expect(await page()).toContain('<h2># general</h2>');
    await api({ channel: 'projects', text: 'to the home channel' });
    expect(await page()).toContain('<h2># projects</h2>');
    expect(await page('/?channel=general')).toContain('<h2># general</h2>');
  });

  it('renders blocks, attachment colours, members and dates', async () => {
    await hook({
      text: 'x',
      blocks: [rich({ type: 'user', user_id: 'U024ANN' }, { type: 'text', text: 'b', style: { bold: true } })],
      attachments: [
        {
          color: '#e01e5a',
          blocks: [
            { type: 'section', fields: [marked('*Due*\ntoday')] },
            { type: 'context', elements: [marked('<!date^1763200000^{date_short_pretty}, {time}|then>')] },
          ],
        },
      ],
    });
    const html = await page();
    for (const part of ['@Ann Vogt', '<b>b</b>', 'background:#e01e5a', '<b>Due</b><br>today', 'Nov 15, 2025'])
      expect(html).toContain(part);
  });

  it('runs no posted script', async () => {
    const evil = '<script>alert(1)</script>';
    await hook({
      text: 'x',
      blocks: [
        section(plain(evil)),
        section(marked(`<javascript:alert(1)|${'x'}> "onload=`)),
        rich({ type: 'text', text: evil }),
      ],
      attachments: [{ color: '"><script>', blocks: [section(plain('x'))] }],
    });
    const html = await page();
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html).not.toMatch(/href="javascript|alert\(1\)<\/script>/);
  });

  it.each([
    ['*bold* _soft_ ~gone~', '<b>bold</b> <i>soft</i> <s>gone</s>'],
    ['`*code*`', '<code>*code*</code>'],
    ['snake_case_name 2*3*4', 'snake_case_name 2*3*4'],
    ['<https://example.com/?a=1&amp;b=2|here>', '<a href="https://example.com/?a=1&amp;b=2" rel="noreferrer">here</a>'],
    ['&lt;b&gt; &amp;amp;', '&lt;b&gt; &amp;amp;'],
    ['<!here> <@U024ANN>', '<span class="mention">@here</span> <span class="mention">@Ann Vogt</span>'],
  ])('reads %s as Slack does', (text, html) => {
    expect(mrkdwnHtml(text, { U024ANN: 'Ann Vogt' })).toBe(html);
  });
});

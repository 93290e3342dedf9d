import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Mailbox, startMailbox } from '../../../simulator/mailbox/mailbox.ts';

let mailbox: Mailbox;

beforeEach(async () => {
  mailbox = await startMailbox();
});

afterEach(() => mailbox.close());

interface Given {
  readonly subject: string;
  readonly to?: string;
  readonly references?: string;
  readonly html?: string;
  /** @default - a line with the subject */
  readonly text?: string;
}

/** Sent by a program that has nothing to do with ours. */
async function send({ to = 'ann@example.com', ...given }: Given): Promise<void> {
  const transporter = createTransport(mailbox.smtpUrl);
  await transporter.sendMail({ from: 'Zoë <zoe@example.com>', to, text: `text of ${given.subject}`, ...given });
}

const get = async (path: string) => {
  const response = await fetch(`${mailbox.url}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the mailbox', () => {
  it('stores mails raw and parsed', async () => {
    await send({ subject: 'Grüße', html: '<b>ü</b>' });
    expect(mailbox.mails).toMatchObject([
      {
        number: 1,
        envelope: { from: 'zoe@example.com', to: ['ann@example.com'] },
        parsed: { subject: 'Grüße', from: { name: 'Zoë' }, html: '<b>ü</b>\n' },
        raw: expect.stringContaining('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?='),
      },
    ]);
    mailbox.clear();
    expect(mailbox.mails).toEqual([]);
  });

  it.each([
    [{ recipients: { 'ann@example.com': { code: 550, text: 'unknown' } } }, '550 unknown'],
    [{ mail: { code: 451, text: 'busy' } }, '451 busy'],
  ])('answers as a fault says: %j', async (faults, said) => {
    mailbox.setFaults(faults);
    await expect(send({ subject: 'a' })).rejects.toThrow(said);
    expect(mailbox.mails).toEqual([]);
    mailbox.setFaults({});
    await send({ subject: 'a' });
    expect(mailbox.mails).toHaveLength(1);
  });

  it('drops connections before or after it stored the mail', async () => {
    mailbox.setFaults({ drop: 'mail' });
    await expect(send({ subject: 'a' })).rejects.toThrow();
    expect(mailbox.mails).toHaveLength(0);
    mailbox.setFaults({ drop: 'thanks' });
    await expect(send({ subject: 'b' })).rejects.toThrow();
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.connections).toBe(2);
  });

  it('names the port that is in use', async () => {
    const port = Number(new URL(mailbox.smtpUrl).port);
    await expect(startMailbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('its page', () => {
  it('updates itself without a reload, with the only script that may run', async () => {
    const { text, headers } = await get('/');
    expect(text).toContain('No mail yet');
    expect(text).toContain('<main data-live>');
    expect(text).not.toContain('http-equiv="refresh"');
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`);
  });

  it('opens the mail that says most, and keeps it open while others arrive', async () => {
    await send({ subject: 'one' });
    await send({ subject: 'a long digest', text: 'overdue\n'.repeat(50) });
    await send({ subject: 'three' });
    const { text } = await get('/');
    expect(text).toContain('<main data-shown="/?mail=2"><header><h2>a long digest</h2>');
    expect(text).toMatch(/<li data-key="3">[\s\S]*<li data-key="2"><a href="\/\?mail=2" aria-current/);
    await send({ subject: 'four' });
    // The script reads this address, so that the list marks the mail that is open.
    expect((await get('/?mail=2')).text).toContain('<h2>a long digest</h2>');
  });

  it('lists mails by thread and recipient, the newest first', async () => {
    await send({ subject: 'one', references: '<record.1@x>' });
    await send({ subject: 'two', references: '<record.2@x>' });
    await send({ subject: 'one again', references: '<record.1@x>' });
    await send({ subject: 'one for ben', to: 'ben@example.com', references: '<record.1@x>' });
    await send({ subject: 'two again', references: '<record.2@x>' });
    const { text } = await get('/');
    const threads = text.split('<ol>').slice(1);
    const subjects = threads.map((thread) =>
      [...thread.matchAll(/class="subject">([^<]*)</g)].map(([, subject]) => subject),
    );
    expect(subjects).toEqual([['two again', 'two'], ['one for ben'], ['one again', 'one']]);
  });

  it('shows a mail in a frame without scripts and remote content', async () => {
    await send({ subject: '<b>a</b>', html: '<p onclick="x()">hello</p><script>x()</script>' });
    const { text, headers } = await get('/?mail=1');
    expect(text).toContain('<iframe sandbox src="/mails/1/html"');
    expect(text).toContain('&lt;b&gt;a&lt;/b&gt;');
    expect(text).not.toContain('<b>a');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    const frame = await get('/mails/1/html');
    expect(frame.text).toContain('hello');
    expect(frame.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('shows the text of a mail without HTML, and the raw form of any mail', async () => {
    await send({ subject: 'a <i>' });
    expect((await get('/?mail=1')).text).toContain('<pre>text of a &lt;i&gt;');
    expect((await get('/mails/1/text')).text).toContain('text of a <i>');
    expect((await get('/mails/1/raw')).text).toMatch(/^From: /m);
  });

  it.each(['/mails/7/html', '/mails/x/html', '/elsewhere'])('has nothing at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMail } from '../../../../adapters/channels/email/render-mail.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import type { TidingsEvent } from '../../../../core/model/event.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { anyEvent, hostile, tagsOf } from '../../../core/events/hostile-events.ts';
import {
  digest,
  example,
  invoicePaid,
  LINKS,
  overdue,
  peopleSubscription,
  sampleMessage,
  storm,
} from '../../../pictures/sample-messages.ts';

const mailOf = (event: TidingsEvent, change: Partial<OutboundMessage> = {}) =>
  renderMail(sampleMessage([event], change), LINKS);

describe('a mail about one event', () => {
  it('has the same content in subject, text and HTML', () => {
    const { subject, text, html } = mailOf(example('task.due_date_changed'));
    expect(subject).toBe('Task “Proofread the newsletter” is now due Fri 20 Nov (Website relaunch, Northwind Traders)');
    expect(text).toBe(`Task “Proofread the newsletter” is now due Fri 20 Nov
Northwind Traders · Website relaunch

Assigned to: Ann Vogt
Owned by:    Ben Okafor
Due:         Fri 20 Nov
Status:      In Progress
Priority:    P2
Estimate:    6 h

What changed:
Due: Wed 18 Nov → Fri 20 Nov

> Names & dates, please.

Open task: https://work.example.com/tasks/view/27

-- 
Detected 14 Nov 2026, 00:00 Europe/Berlin
task.due_date_changed · ${example('task.due_date_changed').id}
Tidings, subscription team
`);
    for (const said of [
      'Northwind Traders · Website relaunch',
      'Ann Vogt',
      'What changed',
      '<p>Names &amp; dates, please.</p>',
    ])
      expect(html).toContain(said);
    expect(html).toContain(
      'href="https://work.example.com/tasks/view/27" rel="noopener">Proofread the newsletter</a>”',
    );
    expect(html).toMatch(/class="button"[^>]*href="https:\/\/work\.example\.com\/tasks\/view\/27"[^>]*>Open task</);
  });

  it('shows the author if known', () => {
    const event = example('task.closed');
    const known = { ...event, data: { ...event.data, by: { id: '5', name: 'Ann Vogt' } } };
    const nameless = { ...event, data: { ...event.data, by: { id: '5', name: null } } };
    expect(mailOf(known).text).toContain('\nBy Ann Vogt, detected 14 Nov 2026, 00:00 Europe/Berlin\n');
    expect(mailOf(nameless).text).toContain('\nBy person 5, detected ');
    expect(mailOf(event).text).toContain('\nDetected 14 Nov 2026');
  });

  it('shows times in the zone of the message', () => {
    expect(mailOf(example('task.closed'), { timeZone: 'Asia/Tokyo' }).text).toContain('14 Nov 2026, 08:00 Asia/Tokyo');
  });

  it('formats amounts', () => {
    const { text } = renderMail(invoicePaid, LINKS);
    expect(text).toContain('Left to pay: 1,200.50 → 0.00');
    expect(text).toContain('Paid on:     none → Sat 14 Nov');
  });

  it('shows the description in its own text direction', () => {
    const { html } = mailOf(example('task.closed', { summary: '<p>\u05e9\u05dc\u05d5\u05dd.</p>' }));
    expect(html).toMatch(
      /<div class="said" style="[^"]*text-align:start[^"]*" dir="auto"><p>\u05e9\u05dc\u05d5\u05dd\.<\/p>/,
    );
    expect(html).toContain('.said p,.said div{unicode-bidi:plaintext}');
  });

  it('shows the sanitized description', () => {
    const { html = '', text } = renderMail(overdue, LINKS);
    expect(html).toContain('<strong>names &amp; dates</strong>');
    expect(html).toContain(
      '<a href="https://files.example.com/list?a=1&amp;b=2" rel="noopener noreferrer nofollow">the list</a>',
    );
    expect(html).not.toMatch(/<script|alert|onclick|<img|tracker/);
    expect(text).toContain(
      '> Please check names & dates against the list (https://files.example.com/list?a=1&b=2), and',
    );
    expect(text).toContain('\n> - the prices on page 2\n');
  });

  it('loads nothing, and supports narrow screens and dark mode', () => {
    const { html = '' } = renderMail(overdue, LINKS);
    expect(html).not.toMatch(/<(img|link|script|iframe|object|form|input)|url\(|@import|\bsrc=/i);
    expect(html).toContain('<meta name="viewport" content="width=device-width">');
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme:dark)');
    expect(html).toContain('@media (max-width:480px)');
  });

  it('has a preheader with the facts', () => {
    expect(renderMail(overdue, LINKS).html).toMatch(
      /<body[^>]*>\n<div style="display:none[^>]*>Assigned to: Ann Vogt · Owned by: Ben Okafor · /,
    );
  });

  it('is readable for every event type', () => {
    for (const { type } of eventTypes) {
      const { subject, text, html = '' } = mailOf(example(type));
      expect(subject).toMatch(/^\S.{10,148}\S$/u);
      expect(text + html).not.toMatch(/undefined|\bnull\b|\[object|NaN/);
    }
  });

  it('shows one event per transition', () => {
    const closed = example('task.closed');
    const both = sampleMessage([closed, { ...closed, id: 'evt_2', type: 'task.updated' }]);
    expect(renderMail(both, LINKS)).toEqual(renderMail(sampleMessage([closed]), LINKS));
  });
});

describe('a mail about several events', () => {
  it('counts by event type in the subject of a digest', () => {
    expect(renderMail(digest, LINKS).subject).toBe('Tidings: 4 tasks overdue, 2 tasks due soon');
  });

  it('groups by project, oldest first, without the project in each line', () => {
    expect(renderMail(digest, LINKS).text).toBe(`4 tasks overdue, 2 tasks due soon

Autumn catalogue (2)
- Task “Send proofs to the printer” is due Sun 22 Nov · Ann Vogt
  https://work.example.com/tasks/view/50
- Task “Collect feedback on the cover” is due Sun 22 Nov · Ann Vogt
  https://work.example.com/tasks/view/51

Website relaunch (4)
- Task “Proofread the newsletter” has been overdue since Wed 18 Nov · Ann Vogt
  https://work.example.com/tasks/view/30
- Task “Redirects for the old shop” has been overdue since Thu 19 Nov · Ann Vogt
  https://work.example.com/tasks/view/31
- Task “Photographs for the landing page” has been overdue since Fri 20 Nov · Ann Vogt
  https://work.example.com/tasks/view/32
- Task “Legal notice” has been overdue since Sat 21 Nov · Ann Vogt
  https://work.example.com/tasks/view/33

-- 
Tidings, subscription morning
`);
  });

  it('lists the first lines of a large batch, and counts the rest', () => {
    const { subject, text, html = '' } = renderMail(storm, LINKS);
    expect(subject).toBe('Due date changed on 500 tasks: Website relaunch');
    expect(text.match(/^- Task/gm)).toHaveLength(12);
    expect(text).toContain('\n- and 488 more\n');
    expect(html).toContain('and 488 more');
    expect(html.length).toBeLessThan(30_000);
  });

  it('counts the events of groups that are not listed', () => {
    const events = Array.from({ length: 30 }, (_, index) =>
      example('task.overdue', { id: String(index + 1), project: `Project ${String(index).padStart(2, '0')}` }),
    );
    const [first = example('task.overdue'), ...rest] = events;
    expect(renderMail(sampleMessage([first, ...rest])).text).toContain('\nand 18 more in other projects\n');
  });
});

describe('any mail', () => {
  it.each([
    ['replay', '[Replay] Task “', 'Sent again on request'],
    ['test', '[Test] Task “', 'Test message: nothing happened.'],
  ] as const)('marks a %s in subject, text and HTML', (mark, start, note) => {
    const { subject, text, html } = renderMail({ ...overdue, mark }, LINKS);
    expect(subject.startsWith(start)).toBe(true);
    expect(text.startsWith(note)).toBe(true);
    expect(html).toContain(note);
  });

  it('has an unsubscribe link if there is one', () => {
    const unsubscribe = 'https://tidings.example.com/unsubscribe/abc?a=1&b=2';
    const { text, html } = renderMail(digest, LINKS, { unsubscribe });
    expect(text).toContain(`\nUnsubscribe: ${unsubscribe}\n`);
    expect(html).toContain('href="https://tidings.example.com/unsubscribe/abc?a=1&amp;b=2"');
    expect(renderMail(digest, LINKS).html).not.toContain('Unsubscribe');
  });

  it('uses the parts of a template, and has no HTML if only the text is given', () => {
    const own = renderMail(overdue, LINKS);
    expect(renderMail(overdue, LINKS, { template: { subject: 'Late!' } })).toEqual({ ...own, subject: 'Late!' });
    expect(renderMail(overdue, LINKS, { template: { text: 'a' } })).toEqual({ subject: own.subject, text: 'a' });
    expect(renderMail(overdue, LINKS, { template: { html: '<p>mine</p>' } })).toMatchObject({
      text: own.text,
      html: expect.stringMatching(/^<!doctype html>[\s\S]*<p>mine<\/p>[\s\S]*Tidings, subscription/),
    });
    expect(renderMail(overdue, LINKS, { template: { text: 'a', html: 'b' } })).toMatchObject({
      text: 'a',
      html: expect.stringContaining('b'),
    });
  });

  it('keeps the subject of a template on one line, and marks it', () => {
    const words = { subject: `a\r\nBcc: x\u2028${'y'.repeat(300)}` };
    const { subject } = renderMail({ ...overdue, mark: 'test' }, LINKS, { template: words });
    expect(subject).toMatch(/^\[Test\] a Bcc: x y+…$/);
    expect(subject).toHaveLength(150);
    expect(renderMail(overdue, LINKS, { template: { subject: ' \n' } }).subject).toBe('Tidings');
  });
});

/** The tags of the layout, and of sanitized HTML. */
const OURS = '!doctype html head meta title style body div table tbody tr td p h1 h2 a span br'.split(' ');
const THEIRS = 'p br b i em strong ul ol li a code pre blockquote s sub sup h4'.split(' ');
const ATTRIBUTES = [
  'html',
  'class',
  'style',
  'href',
  'rel',
  'role',
  'width',
  'align',
  'cellpadding',
  'cellspacing',
  'dir',
];
const HEAD_ATTRIBUTES = ['aria-hidden', 'lang', 'charset', 'name', 'content'];

describe('any record, however long or hostile', () => {
  it('results in a subject of one line, and HTML with only known tags, attributes and URL schemes', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { minLength: 1, maxLength: 4 }),
        hostile,
        fc.constantFrom(undefined, 'replay' as const, 'test' as const),
        (events, text, mark) => {
          const [first = example('task.closed'), ...rest] = events;
          const links = { task: 'https://work.example.com/{title}', invoice: text };
          const given = sampleMessage([first, ...rest], {
            subscription: peopleSubscription(text, rest.length > 1 ? { digest: { at: '08:30' } } : {}),
            ...(mark === undefined ? {} : { mark }),
          });
          const { subject, text: plain, html = '' } = renderMail(given, links);
          expect(subject).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,150}$/u);
          expect(subject.length).toBeLessThanOrEqual(150);
          // Gmail cuts mails after 102 KB.
          expect(plain.length + html.length).toBeLessThan(100_000);
          const tags = tagsOf(html);
          expect(tags.filter(({ name }) => ![...OURS, ...THEIRS].includes(name))).toEqual([]);
          const attributes = tags.flatMap(({ attributes: found }) => Object.entries(found));
          expect(attributes.filter(([name]) => ![...ATTRIBUTES, ...HEAD_ATTRIBUTES].includes(name))).toEqual([]);
          const hrefs = attributes.filter(([name]) => name === 'href').map(([, value]) => value);
          expect(hrefs.filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

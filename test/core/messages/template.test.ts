import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sanitizeTemplateHtml } from '../../../adapters/channels/email/template-html.ts';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { eventTypeOf } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { compileAndRender, renderTemplate } from '../../../core/messages/template.ts';
import { compileTemplate } from '../../../core/messages/template-compile.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields, Value } from '../../../core/model/record.ts';
import type { Template } from '../../../core/model/subscription.ts';
import { MINUTE, plus } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { traitsOf } from '../../../core/ports/channel.ts';
import { cpuMillis } from '../../cpu-time.ts';
import { NOON, subscription } from '../../samples.ts';

const links = { task: 'https://work.example.com/t/{id}', invoice: 'https://work.example.com/invoices/{localid}' };

function example(type: string, change: Fields = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  return { ...event, data: { ...event.data, record: { ...event.data.record, ...change } } };
}

const overdue = example('invoice.overdue');
const titled = (title: Value) => example('task.closed', { title });
/** This many records that were closed. */
const several = (count: number): OutboundMessage['events'] => {
  const [first = overdue, ...rest] = Array.from({ length: count }, (_, version) => {
    const event = titled(`T${version}`);
    return { ...event, subject: `task/${version}`, data: { ...event.data, version } };
  });
  return [first, ...rest];
};

const partsOf = (channel: string) => traitsOf(channelRegistry, { channel }).templateParts;

function render(template: Template, channel: string, ...[first = overdue, ...rest]: TidingsEvent[]) {
  const message = { events: [first, ...rest], timeZone: 'Europe/Berlin', at: NOON } as const;
  const {
    texts,
    values,
    isSlow: _,
    ...problems
  } = renderTemplate(compileTemplate(template, partsOf(channel)), message, {
    links,
    sanitizeHtml: sanitizeTemplateHtml,
  });
  const { text, subject, html } = texts;
  return { ...problems, text, subject, html, body: values.body };
}
const slack = (text: string, ...events: TidingsEvent[]) => render({ text }, 'slack', ...events);
const plain = (text: string, ...events: TidingsEvent[]) => render({ text }, 'email', ...events).text;
const html = (text: string, ...events: TidingsEvent[]) => render({ html: text }, 'email', ...events).html;
const body = (shape: NonNullable<Template['body']>, ...events: TidingsEvent[]) =>
  render({ body: shape }, 'http', ...events).body;

describe('variables', () => {
  it('contain the envelope and shortcuts to its members', () => {
    expect(plain('{{ event.subject }} {{ type }} {{ record.total }} {{ details.meaning }}{{ by.name }}')).toBe(
      'invoice/812 invoice.overdue 1200.5',
    );
    const moved = example('task.due_date_changed');
    const [change] = moved.data.changes;
    expect(plain('{{ changes[0].field }}: {{ changes[0].from }}, {{ previous.datedue }}', moved)).toBe(
      `datedue: ${change?.from}, ${moved.data.previous.datedue}`,
    );
  });

  it('contain the default line, the time in the zone, and the link', () => {
    expect(plain('{{ line }}|{{ time }}|{{ link }}')).toBe(
      'Invoice “Website relaunch, October” for Northwind Traders has been overdue since Tue 1 Dec: 1,200.50 unpaid|' +
        '1 Dec 2026, 00:00 Europe/Berlin|https://work.example.com/invoices/00042',
    );
    expect(plain('{{ by.name }} did it', { ...overdue, data: { ...overdue.data, by: { id: '5', name: 'Ann' } } })).toBe(
      'Ann did it',
    );
  });

  it('are empty if the record has no such field', () => {
    expect(plain('[{{ record.nope }}{{ record.no.pe }}] {{ record.nope | default: "none" }}')).toBe('[] none');
  });

  it('do not expose prototypes or functions', () => {
    expect(
      plain(
        '[{{ record.constructor }}{{ record.__proto__ }}{{ record.toString }}{{ changes.constructor }}{{ type.constructor }}]',
      ),
    ).toBe('[]');
  });

  it('cannot change the event', () => {
    const before = JSON.stringify(overdue);
    plain(
      '{% increment record %}{% assign record = "x" %}{{ changes | concat: changes | reverse | sort | json }}{{ record }}',
    );
    expect(JSON.stringify(overdue)).toBe(before);
  });
});

describe('filters', () => {
  it('format amounts and days', () => {
    expect(plain('{{ 1234567.5 | money }} {{ "12.3" | money }} {{ "x" | money }}{{ nil | money }}')).toBe(
      '1,234,567.50 12.30 x',
    );
    expect(plain('{{ "2026-11-20" | day }}, {{ "2026-11-20T23:30:00Z" | day }}, {{ "soon" | day }}{{ 5 | day }}')).toBe(
      '20 Nov 2026, 21 Nov 2026, soon5',
    );
  });

  it('format dates in the zone of the subscription, with the time of the message as now', () => {
    expect(plain('{{ "2026-11-20T23:30:00Z" | date: "%d.%m. %H:%M" }} {{ "2026-11-20" | date: "%d.%m.%Y" }}')).toBe(
      '21.11. 00:30 20.11.2026',
    );
    expect(plain('{{ "now" | date: "%Y-%m-%d %H:%M" }} {{ "now" | date: "%H", "Asia/Tokyo" }}')).toBe(
      '2026-11-14 13:00 21',
    );
  });

  it('that evaluate text, are random or are undocumented do not exist', () => {
    for (const filter of [
      'where_exp: "e", "e"',
      'find_exp: "e", "e"',
      'sample',
      'date_to_string',
      'inspect',
      'hmac_sha256: "k"',
    ]) {
      expect(slack(`{{ events | ${filter} }}`).problem).toContain(`unknown filter '${filter.split(':')[0]}'`);
    }
  });
});

describe('a Slack text', () => {
  it('escapes values of the record, and keeps the markup of the template', () => {
    expect(slack('<{{ link }}|*{{ record.title }}*>', titled('<!channel> R&D')).text).toBe(
      '<https://work.example.com/t/412|*&lt;!channel&gt; R&amp;D*>',
    );
  });

  it('escapes every kind of output exactly once', () => {
    const texts = [
      '{% echo record.title %}',
      '{% cycle record.title %}',
      '{{ record.title | slack }}',
      '{% liquid echo record.title %}',
    ];
    for (const text of texts) expect(slack(text, titled('<a>')).text).toBe('&lt;a&gt;');
  });

  it('rejects the filter raw', () => {
    expect(slack('{{ record.title | raw }}')).toMatchObject({
      problem: expect.stringContaining("the filter 'raw' is not allowed here"),
    });
  });

  it('is not cut inside an escape sequence or a link', () => {
    const long = slack(`${'x'.repeat(9_996)}{{ "&" }}<https://example.com|y>`).text;
    expect(long).toBe(`${'x'.repeat(9_996)}…`);
    expect(slack(`${'x'.repeat(9_990)}<https://example.com|y>`).text).toBe(`${'x'.repeat(9_990)}…`);
  });

  it('counts the events that do not fit', () => {
    const { text = '' } = slack(`{{ record.title }} ${'x'.repeat(600)}`, ...several(25));
    const listed = text.match(/T\d+/g) ?? [];
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(listed.length).toBeGreaterThan(10);
    expect(text.endsWith(`\n… and ${25 - listed.length} more`)).toBe(true);
  });

  it('has no invisible characters', () => {
    expect(slack('{{ record.title }}', titled('a\u0000b\u202ec\r\nd')).text).toBe('abc\nd');
  });
});

describe('a mail', () => {
  it('has a subject of one line and at most 150 characters', () => {
    const { subject = '' } = render(
      { subject: '{{ record.title }}\nBcc: x' },
      'email',
      titled(`a\r\nBcc: b${'c'.repeat(300)}`),
    );
    expect(subject).toMatch(/^a Bcc: bc+…$/);
    expect(subject).toHaveLength(150);
  });

  it('escapes values in HTML by default; raw values are sanitized', () => {
    const nasty = titled('<b onclick=x>bold</b><script>alert(1)</script><img src=x onerror=y>');
    expect(html('<p>{{ record.title }}</p>', nasty)).toBe(
      '<p>&lt;b onclick=x&gt;bold&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=y&gt;</p>',
    );
    expect(html('<p>{{ record.title | raw }}</p>', nasty)).toBe('<p><b>bold</b></p>');
    expect(html('{{ record.title | escape }}', titled('<b>'))).toBe('&lt;b&gt;');
  });

  it('keeps headings, tables and links, and drops styles, forms and other URL schemes', () => {
    expect(
      html(
        '<h1 style="x">a</h1><table><tr><td colspan="2">b</td></tr></table><a href="javascript:x">c</a>' +
          '<a href="{{ link }}" onclick="x">d</a><form><input></form><style>p{}</style>',
      ),
    ).toBe(
      '<h1>a</h1><table><tr><td colspan="2">b</td></tr></table><a>c</a><a href="https://work.example.com/invoices/00042">d</a>',
    );
  });

  it('does not escape plain text', () => {
    expect(plain('{{ record.title }}', titled('R&D <x>'))).toBe('R&D <x>');
  });
});

describe('an HTTP body', () => {
  it('keeps the type of a single output', () => {
    expect(
      body({
        n: '{{ record.total }}',
        t: 'EUR {{ record.total }}',
        m: '{{ record.total | times: 2 }}',
        l: ['{{ changes }}', '{{ events.size }}'],
      }),
    ).toEqual({ n: 1200.5, t: 'EUR 1200.5', m: 2401, l: [[], 1] });
    expect(body('{{ record }}')).toEqual(overdue.data.record);
  });

  it('renders only strings, and null for a missing value', () => {
    expect(
      body({ '{{ type }}': true, a: null, b: 3, c: '{{ record.nope }}', d: '{% if false %}x{% endif %}' }),
    ).toEqual({
      '{{ type }}': true,
      a: null,
      b: 3,
      c: null,
      d: '',
    });
  });

  it('is omitted as a whole if one text fails, with the path of the text', () => {
    const { problems, ...rest } = render({ body: { a: '1', b: [{ c: '{{ "a" | append }}' }] } }, 'http');
    expect(problems).toEqual([
      { path: ['body', 'b', 0, 'c'], message: expect.stringMatching(/^line 1, column 1: invalid Liquid/) },
    ]);
    expect(rest).toEqual({ problem: expect.stringContaining('template.body.b.0.c: line 1') });
  });
});

describe('several events', () => {
  it('are rendered one by one by a text about a single event, up to 30', () => {
    expect(slack('{{ record.title }}', ...several(3)).text).toBe('T0\nT1\nT2');
    expect(
      slack('{{ record.title }}', ...several(500))
        .text?.split('\n')
        .slice(-2),
    ).toEqual(['T29', '… and 470 more']);
    expect(html('<p>{{ record.title }}</p>', ...several(2))).toBe('<p>T0</p>\n<hr />\n<p>T1</p>');
  });

  it('are rendered together by a text that uses them', () => {
    expect(
      slack('{{ summary.title }}:{% for e in events %} {{ e.record.title }}{% endfor %}', ...several(3)).text,
    ).toBe('3 tasks closed: T0 T1 T2');
  });

  it('use the default subject if the template is about a single event', () => {
    expect(render({ subject: '{{ record.title }}' }, 'email', ...several(2))).toEqual({ problems: [] });
    expect(render({ subject: '{{ summary.count }} things' }, 'email', ...several(2)).subject).toBe('2 things');
  });

  it('of one transition count as one', () => {
    const [closed, updated] = [example('task.closed'), example('task.updated')];
    expect(
      slack('{{ type }}', closed, { ...updated, data: { ...updated.data, version: closed.data.version } }).text,
    ).toBe('task.closed');
  });
});

/** Makes `a` and `b` of lists and objects that have their parts twice. */
const NESTED = ['a', 'b']
  .map(
    (name) =>
      `{% assign ${name} = "x,y" | split: "," %}{% for i in (1..40) %}{% assign ${name} = ${name} | group_by: "size" | map: "items" %}{% assign ${name} = ${name} | concat: ${name} %}{% endfor %}`,
  )
  .join('');

/** Looks for a long text in a longer one, of which every character but the one in the middle is alike. */
function searchFor(search: string): string {
  const texts = `{% assign a = "aaaaaaaaaa" %}{% for i in (1..13) %}{% assign a = a | append: a %}{% endfor %}{% assign p = a | slice: 0, 30000 %}{% assign p = p | append: "b" | append: p %}`;
  return `${texts}${search === 'contains' ? '{% if a contains p %}x{% endif %}' : `{{ a | ${search}: p, "x" | size }}`}`;
}

describe('limits', () => {
  const rejected: readonly (readonly [string, RegExp])[] = [
    ['{% for i in (1..100000000) %}x{% endfor %}', /1,000,000 characters and list items/],
    [`{% for i in (1..700) %}${'x'.repeat(100)}{% endfor %}`, /65,536 characters of output/],
    [
      '{% assign a = "xx" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a | size }}',
      /during rendering/,
    ],
    [
      '{% assign a = "xx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a | size }}',
      /during rendering/,
    ],
    [
      '{% for i in (1..900) %}{% for j in (1..900) %}{% assign a = i | times: j | modulo: 7 %}{% endfor %}{% endfor %}x',
      /within 250 ms/,
    ],
    // Lists whose parts share theirs: written out, they have 2^40 items.
    ...['{{ a | first }}', '{{ a }}', '{{ a | upcase }}', '{{ a | join }}', '{% if a == b %}x{% endif %}'].map(
      (use) => [`${NESTED}${use}`, /during rendering/] as const,
    ),
    // Searched for long.
    ...['contains', 'remove_last', 'replace', 'split'].map(
      (search) => [searchFor(search), /during rendering/] as const,
    ),
    // A long path that is followed for each of many items.
    ...['find', 'find_index', 'group_by', 'has', 'map', 'reject', 'sort', 'sort_natural', 'sum', 'where'].map(
      (filter) =>
        [
          `{% assign list = "${'b,'.repeat(8000)}b" | split: "," %}{{ list | ${filter}: "a${'.a'.repeat(20_000)}", "x" | size }}`,
          /during rendering/,
        ] as const,
    ),
    // Long within one tag or filter, which Liquid does not interrupt.
    [`{% assign a = (1..400000) %}{% if ${Array(60).fill('a != a').join(' or ')} %}x{% endif %}`, /within 250 ms/],
    [`{% assign f = "${'%A'.repeat(25_000)}" %}{{ 0 | date: f | size }}`, /within 250 ms/],
    [
      `{% assign a = (1..100000) %}{% assign l = "${'b,'.repeat(500)}" | split: "," %}{{ l | map: a }}`,
      /within 250 ms/,
    ],
    ['{% if false %}{% endif %}', /expected some output/],
    ['{% include "/etc/passwd" %}', /cannot read files/],
    ['{% render "x" %}', /cannot read files/],
    ['{% layout "x" %}', /cannot read files/],
    [`{{ line }}${' '.repeat(65_536)}`, /at most 65,536 characters/],
    ['{% fro e in events %}', /did you mean 'for'/],
  ];

  // Some have hundreds of thousands of characters, which are no name of a test.
  const named = rejected.map(([text, reason]) => [text.slice(0, 80), text, reason] as const);
  it.each(named)('reject %s', (_, text, reason) => {
    const started = cpuMillis();
    expect(render({ text }, 'email')).toMatchObject({
      problem: expect.stringMatching(reason),
      problems: expect.anything(),
    });
    // Two renderings of 250 ms.
    expect(cpuMillis() - started).toBeLessThan(2000);
  });

  it('apply to all texts of a body together', () => {
    const text = '{% for i in (1..1000) %}12345678901234567890{% endfor %}';
    expect(render({ body: [text, text, text] }, 'http').problems).toEqual([]);
    expect(render({ body: [text, text, text, text] }, 'http').problem).toMatch(/65,536 characters of output/);
  });

  it('apply to the characters of all texts of a body together', () => {
    const text = ' '.repeat(30_000);
    expect(render({ body: [text, text] }, 'http').problems).toEqual([]);
    expect(render({ body: [text, text, text] }, 'http').problem).toMatch(/body.2: expected at most 65,536 characters$/);
  });

  it('leave a long template as fast as many short ones, with the place of each problem', () => {
    const started = cpuMillis();
    const { problems } = compileTemplate({ text: `${'{{ line }}\n'.repeat(5900)}{{ lien }}` }, partsOf('email'));
    expect(problems).toMatchObject([{ message: expect.stringMatching(/^line 5901, column 4: unknown name 'lien'/) }]);
    // It would take seconds to count the lines before each of them.
    expect(cpuMillis() - started).toBeLessThan(600);
  });

  it('do not affect the other parts of a mail', () => {
    expect(render({ subject: 'ok', text: '{{ "a" | append }}' }, 'email')).toMatchObject({
      subject: 'ok',
      problem: expect.stringMatching(/^template\.text: /),
    });
  });
});

describe('compileAndRender', () => {
  const message = (template?: Template): OutboundMessage => ({
    subscription: subscription('one', {
      to: { channel: 'slack', settings: { webhook: 'x' } },
      template,
    }),
    events: [titled('<a>')],
    delivery: 'dlv_1',
    at: NOON,
    timeZone: 'UTC',
  });

  it('escapes for the channel of the subscription, even if the template is cached for another channel', () => {
    const template = { text: '{{ record.title }}' };
    expect(compileAndRender(message(template), { links, parts: partsOf('slack') })?.texts.text).toBe('&lt;a&gt;');
    const one = message(template);
    const mail = {
      ...one,
      subscription: { ...one.subscription, to: { channel: 'email', settings: { to: ['a@example.com'] } } },
    };
    expect(compileAndRender(mail, { links, parts: partsOf('email') })?.texts.text).toBe('<a>');
  });

  it('compiles a template once, although a store returns another object each time', () => {
    const options = { links, parts: partsOf('slack') };
    const renderCopy = () => {
      const started = cpuMillis();
      const text = `{% if false %}${'{{ record.none }}'.repeat(3500)}{% endif %}ok`;
      expect(compileAndRender(message({ text }), options)?.texts.text).toBe('ok');
      return cpuMillis() - started;
    };
    const first = renderCopy();
    const others = Array.from({ length: 5 }, renderCopy);
    expect(Math.min(...others)).toBeLessThan(first / 2);
  });

  it('leaves out a template that takes too long, and tries it again after ten minutes', () => {
    const work = '{% if i == j and j > i or i < j %}{% endif %}'.repeat(5);
    const loops = `{% for i in (1..900) %}{% for j in (1..900) %}${work}{% endfor %}{% endfor %}x`;
    const slow = { ...message({ text: loops }), subscription: subscription('slow', { template: { text: loops } }) };
    const options = { links, parts: partsOf('slack') };
    const tryAt = (at: string) => {
      const started = cpuMillis();
      return { rendered: compileAndRender({ ...slow, at }, options), ms: cpuMillis() - started };
    };
    expect(tryAt(NOON).rendered).toMatchObject({ texts: {}, problem: expect.stringMatching(/within 250 ms/) });
    const again = tryAt(plus(NOON, 9 * MINUTE));
    expect([again.rendered?.isSlow, again.rendered?.problem, again.ms < 50]).toEqual([
      true,
      expect.stringContaining('tried again after 2026-11-14T12:10'),
      true,
    ]);
    // Another template of the same subscription is rendered at once.
    const changed = { ...slow, subscription: subscription('slow', { template: { text: 'ok' } }) };
    expect(compileAndRender(changed, options)?.texts.text).toBe('ok');
    expect(tryAt(plus(NOON, 10 * MINUTE)).rendered?.problem).toMatch(/within 250 ms/);
  });

  it('returns undefined without a template', () => {
    expect(compileAndRender(message(), { links, parts: partsOf('slack') })).toBeUndefined();
  });
});

describe('any record in any template', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      '<!channel>',
      '<script>alert(1)</script>',
      '" onload="x',
      '{{ record }}',
      '{% raw %}',
      '&lt;',
      '\u202e',
      '|>',
      'javascript:x',
    ),
  );
  const value: fc.Arbitrary<Value> = fc.oneof(
    hostile,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(hostile, { maxLength: 3 }),
  );
  const record = fc.dictionary(
    fc.oneof(fc.constantFrom('title', 'total', 'datedue', 'summary', '__proto__', 'constructor'), hostile),
    value,
  );
  const outputs = fc.constantFrom(
    '{{ record.title }}',
    '{{ record.summary | upcase }}',
    '{{ record.total | money }}',
    '{{ record.datedue | day }}',
    '{{ line }}',
    '{{ record.datedue | date: "%d.%m.%Y" }}',
    '{{ record.title | url_decode }}',
    '{{ record.title | split: "" | reverse | join: "" }}',
    '{{ record | json }}',
    '{{ record.title | slack }}',
    '{{ record.title | escape }}',
    '{% echo record.title %}',
    '{{ changes }}',
    '{% for f in record %}{{ f[0] }}={{ f[1] }} {% endfor %}',
    '{% capture x %}{{ record.title }}{% endcapture %}{{ x }}',
    '{{ record.title | base64_decode }}',
    '{{ record.title | truncate: 5 }}',
    '{% cycle record.title, record.summary %}',
    '{{ link }}',
    '{{ record.title | strip_html | newline_to_br }}',
    '{{ events | map: "line" | join }}',
    '{{ record.total | divided_by: 0 }}',
    '{% tablerow c in changes cols: 2 %}{{ c.field }}{% endtablerow %}',
    '{{ record[record.title] }}',
  );
  const template = fc.array(outputs, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' . '));
  const event = (fields: Fields) => ({
    ...titled('x'),
    data: { ...titled('x').data, record: fields, changes: [{ field: 'title', from: null, to: fields.title ?? null }] },
  });

  it('never throws, stays within the limits, and cannot notify people in Slack', () => {
    fc.assert(
      fc.property(record, template, (fields, text) => {
        // Liquid's tablerow writes HTML tags.
        fc.pre(!text.includes('tablerow'));
        const { text: rendered, problem } = slack(text, event(fields));
        expect(rendered ?? problem).toBeTypeOf('string');
        if (rendered === undefined) return;
        expect(rendered).not.toMatch(/[<>]/);
        expect(rendered.length).toBeLessThanOrEqual(12_000);
      }),
      { numRuns: 400 },
    );
  });

  it('renders HTML without scripts, with or without raw', () => {
    const raw = template.map((text) => text.replaceAll('}}', '| raw }}'));
    fc.assert(
      fc.property(record, fc.oneof(template, raw), (fields, text) => {
        const { html: rendered, problem } = render(
          { html: `<div title="${text}">${text}</div>` },
          'email',
          event(fields),
        );
        expect(rendered ?? problem).toBeTypeOf('string');
        const tags = rendered?.match(/<[^>]*>/g) ?? [];
        expect(
          tags.filter((tag) =>
            /^<\/?(?:script|style|img|iframe|svg)|\son\w+\s*=|javascript:/i.test(
              tag.replace(/"[^"]*"/g, (quoted) => (quoted.startsWith('"javascript:') ? quoted : '""')),
            ),
          ),
        ).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('renders JSON', () => {
    fc.assert(
      fc.property(record, fc.array(template, { maxLength: 4 }), (fields, texts) => {
        const { body: rendered, problem } = render({ body: { texts, one: '{{ record }}' } }, 'http', event(fields));
        if (rendered === undefined) expect(problem).toBeTypeOf('string');
        else expect(JSON.parse(JSON.stringify(rendered))).toEqual(rendered);
      }),
      { numRuns: 300 },
    );
  });
});

describe('docs/templates.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/templates.md'), 'utf8');
  const shown = [...text.matchAll(/```yaml\n(.*?)```\n(.*?)(?=```yaml|\n## )/gs)].map(([, yaml = '', after = '']) => {
    const outputs = after.matchAll(/\b[Aa]n? `([a-z_.]+)`[^\n]*\n\n```(text|html|json)\n(.*?)```/gs);
    const results = [...outputs].map(([, type = '', kind, result = '']) => ({ type, kind, result }));
    return { subscription: parse(yaml), results };
  });

  it('has examples', () => {
    const kinds = shown.map(({ results }) => results.map(({ kind }) => kind));
    expect(kinds).toEqual([['text', 'text'], ['html'], ['json'], []]);
  });

  it.each(shown)('shows what each event type of $subscription.name becomes', ({ subscription, results }) => {
    const [channel = ''] = Object.keys(subscription.to);
    for (const { type, kind, result } of results) {
      const rendered = render(subscription.template, channel, example(type));
      expect(rendered.problem).toBeUndefined();
      if (kind === 'json') expect(rendered.body).toEqual(JSON.parse(result));
      else expect(rendered[kind === 'text' ? 'text' : 'html']).toBe(result.trim());
    }
    // An example that shows no output is about several events.
    if (results.length > 0) expect(results.map(({ type }) => type)).toEqual(subscription.events);
    else
      expect(render(subscription.template, channel, ...subscription.events.map(example))).toMatchObject({
        problem: undefined,
      });
  });

  it('shows the output of each filter', () => {
    const rows = [...text.matchAll(/^\| `\w+` \| `(\{\{.*?\}\})` \| `(.*?)` \|$/gm)];
    expect(rows).toHaveLength(4);
    for (const [, code = '', gives] of rows) expect(plain(code.replaceAll('\\|', '|'))).toBe(gives);
  });
});

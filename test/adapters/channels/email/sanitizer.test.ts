import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { sanitizeDescription } from '../../../../adapters/channels/email/description-html.ts';
import { sanitizeTemplateHtml } from '../../../../adapters/channels/email/template-html.ts';
import { tagsOf } from '../../../core/events/hostile-events.ts';
import { cpuMillis } from '../../../cpu-time.ts';
import { hostileHtml } from './hostile-html.ts';
import { ATTACKS } from './html-attacks.ts';

const CELL = ['colspan', 'rowspan', 'align'];

const SANITIZERS = [
  {
    of: 'a description',
    sanitize: sanitizeDescription,
    tags: 'p div h4 ul ol li pre blockquote br b i em strong a code s sub sup'.split(' '),
    attributes: { a: ['href', 'rel'] } as Readonly<Record<string, readonly string[]>>,
    depth: 16,
  },
  {
    of: 'a template',
    sanitize: sanitizeTemplateHtml,
    tags: 'a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup table tbody td tfoot th thead tr u ul'.split(
      ' ',
    ),
    attributes: { a: ['href', 'title'], td: CELL, th: CELL } as Readonly<Record<string, readonly string[]>>,
    depth: 50,
  },
] as const;

type Sanitizer = (typeof SANITIZERS)[number];

/** Finds disallowed tags, attributes and links, unclosed tags, and excessive depth. */
function findFaults(html: string, { tags, attributes, depth }: Sanitizer): readonly string[] {
  const faults: string[] = [];
  const check = (name: string, given: Readonly<Record<string, string>>) => {
    if (!tags.includes(name)) faults.push(name);
    faults.push(...Object.keys(given).filter((key) => attributes[name]?.includes(key) !== true));
    if (!/^(?:https?:\/\/|mailto:)/.test(given.href ?? 'mailto:')) faults.push(given.href ?? '');
  };
  for (const { name, attributes: given } of tagsOf(html)) check(name, given);
  let open = 0;
  const parser = new Parser({
    onopentag: (name, given) => {
      check(name, given);
      if (++open > depth + 1) faults.push(`deeper than ${depth}`);
    },
    onclosetag: () => void open--,
    oncomment: (text) => void faults.push(`comment: ${text}`),
    onprocessinginstruction: (_, text) => void faults.push(`instruction: ${text}`),
  });
  parser.end(html);
  return [...faults, ...unbalanced(html)];
}

/** Tags without a required end tag. */
function unbalanced(html: string): readonly string[] {
  const open: string[] = [];
  for (const [whole, name = ''] of html.matchAll(/<\/?([a-z\d]+)[^>]*>/g)) {
    if (whole.endsWith('/>')) continue;
    if (!whole.startsWith('</')) open.push(name);
    else if (open.pop() !== name) return [whole];
  }
  return open;
}

/** Finds table elements without their own table, which would end the cell of the mail's layout. */
function strayTableElements(html: string): readonly string[] {
  const parts = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'];
  const open: string[] = [];
  const stray: string[] = [];
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z\d]+)[^>]*>/g)) {
    if (!parts.includes(name)) continue;
    if (slash === '/') open.pop();
    else {
      const parent = open.at(-1);
      const isInCell = parent === undefined || parent === 'td' || parent === 'th';
      if (isInCell !== (name === 'table')) stray.push(name);
      open.push(name);
    }
  }
  return stray;
}

describe.each(SANITIZERS)('the sanitized HTML of $of', (sanitizer) => {
  const { sanitize } = sanitizer;

  it.each(ATTACKS)('contains nothing that can run or load after %j', (attack) => {
    for (const html of [attack, `<p>${attack}</p>`, `<a title="${attack}">x</a>`, attack + attack, `<b ${attack}>x`]) {
      expect(findFaults(sanitize(html), sanitizer)).toEqual([]);
      expect(strayTableElements(sanitize(html))).toEqual([]);
    }
  });

  it('has only allowed tags, attributes and links for any input', () => {
    fc.assert(
      fc.property(hostileHtml, (html) => {
        expect(findFaults(sanitize(html), sanitizer)).toEqual([]);
        expect(strayTableElements(sanitize(html))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '<',
    '<b',
    '<b>',
    '<!--',
    '<a href="',
    '<a href=x>',
    '<iframe>',
    '<noscript>',
    '<style>',
    '<table>',
    '<td>',
    '&',
    '<div><i> </i>',
    '<br>',
    '</p>',
    ' ',
  ])('takes linear time for a long input of %j', (piece) => {
    const html = piece.repeat(Math.ceil(65_536 / piece.length));
    const start = cpuMillis();
    sanitize(html);
    expect(cpuMillis() - start).toBeLessThan(1500);
  });
});

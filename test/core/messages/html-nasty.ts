/** HTML to try a cleaner with, from ordinary to hostile; and what another parser reads of it. */

import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import type { Token } from '../../../core/messages/html-read.ts';
import { hostile } from '../events/hostile-events.ts';
import { ATTACKS } from './html-attacks.ts';

const VOID = ['br', 'hr'];

/** Texts that follow each other as one, without those of nothing: where a text is cut is nobody's business. */
export function merged(tokens: readonly Token[]): readonly Token[] {
  const all: Token[] = [];
  for (const token of tokens) {
    const last = all.at(-1);
    if (token.kind === 'text' && last?.kind === 'text') all[all.length - 1] = { ...last, text: last.text + token.text };
    else if (token.kind !== 'text' || token.text !== '') all.push(token);
  }
  return all;
}

/** As htmlparser2 reads it. A tag that it must close by itself comes as `implied …`. */
export function parsed(html: string): readonly Token[] {
  const tokens: Token[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) =>
      void tokens.push({ kind: 'open', name, attributes: new Map(Object.entries(attributes)) }),
    ontext: (text) => void tokens.push({ kind: 'text', text }),
    onclosetag: (name, isImplied) => {
      if (!VOID.includes(name)) tokens.push({ kind: 'close', name: isImplied ? `implied ${name}` : name });
    },
    oncomment: (text) => void tokens.push({ kind: 'text', text: `comment: ${text}` }),
    onprocessinginstruction: (_, text) => void tokens.push({ kind: 'text', text: `instruction: ${text}` }),
  });
  parser.end(html);
  return merged(tokens);
}

export const textOf = (tokens: readonly Token[]) =>
  tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('');

const KEPT =
  'p ul ol li pre blockquote br b i em strong a code div h1 h2 h3 hr span table tbody thead tr td th u sub'.split(' ');
const RAW = 'script style textarea title iframe noscript xmp noembed noframes plaintext'.split(' ');
const OTHER =
  'svg math mtext mglyph malignmark annotation-xml foreignObject desc template select option form img body html'.split(
    ' ',
  );

const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KEPT) },
  fc.constantFrom(...RAW),
  fc.constantFrom(...OTHER),
  fc.constantFrom('B', 'sCript', 'constructor', '__proto__', 'p\u0000', 'b"', 'x-y', 'a:b', '!', '?', '/', ''),
);
const space = fc.constantFrom('', ' ', ' ', '\n', '\t', '\f', '/', ' / ', '\u00a0');
const value = fc.oneof(
  fc.constantFrom('https://a.example/?b=1&c=2', 'mailto:a@b.example', 'javascript:alert(1)', '//x', '2', 'left', ''),
  fc.constantFrom('x>y', '<b>', '</b>', '-->', '&quot;', '&lt;', '&#34', '"', "'", '`', 'a b', 'java\nscript:x'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const attribute = fc
  .tuple(
    space,
    fc.constantFrom('href', 'HREF', 'title', 'colspan', 'align', 'onclick', 'style', 'rel', '=', '"', '<b', 'x\u0000'),
    fc.constantFrom('', '=', ' = ', '=='),
    fc.constantFrom('"', "'", '', '`'),
    value,
    fc.boolean(),
  )
  .map(([before, key, mark, quote, held, isClosed]) => `${before}${key}${mark}${quote}${held}${isClosed ? quote : ''}`);
const entity = fc
  .tuple(
    fc.constantFrom('&amp', '&lt', '&gt', '&quot', '&nbsp', '&copy', '&colon', '&notit', '&#60', '&#x3c', '&#0', '&#'),
    fc.constantFrom(';', '', 'b', '<', '&'),
  )
  .map(([start, end]) => start + end);
const tag = fc
  .tuple(fc.constantFrom('<', '<', '<', '</', '</', '<<', '< '), name, fc.array(attribute, { maxLength: 3 }), space)
  .chain(([start, of, attributes, before]) =>
    fc.constantFrom('>', '>', '>', '>', '/>', '', '>>').map((end) => start + of + attributes.join('') + before + end),
  );
const comment = fc
  .tuple(fc.constantFrom('<!--', '<!-', '<!', '<?', '<![CDATA[', '</ '), fc.constantFrom('', '-', 'x', '<b>', '"'))
  .chain(([start, held]) =>
    fc.constantFrom('-->', '--!>', '->', '>', '--', ']]>', '').map((end) => start + held + end),
  );

/** Half tags, tricks with attributes, entities, raw and foreign elements, one after the other. */
export const nastyHtml = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 6, arbitrary: tag },
          { weight: 2, arbitrary: entity },
          comment,
          fc.constantFrom('a', ' ', '\n', 'x y', '\u0000', '\u202e', '\ud800', '🦊', '<', '>', '&', '"'),
          fc.constantFrom(...ATTACKS),
        ),
        { maxLength: 14 },
      )
      .map((pieces) => pieces.join('')),
  },
  fc.array(hostile, { maxLength: 3 }).map((pieces) => pieces.join('').slice(0, 20_000)),
);

/** An element with what is in it, or a text. */
export type Node = string | { readonly name: string; readonly href?: string; readonly inner: readonly Node[] };

const words = fc.stringMatching(/^[a-zäé日🦊<>&"' ]{0,6}[a-z]$/u);
const breakOf = (...names: readonly string[]) => fc.constantFrom(...names).map((of): Node => ({ name: of, inner: [] }));

function elementOf(names: readonly string[], inner: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  return fc
    .tuple(fc.constantFrom(...names), words, fc.array(inner, { maxLength: 2 }), fc.array(words, { maxLength: 1 }))
    .map(([of, first, rest, last]) => ({ name: of, inner: [first, ...rest, ...last] }));
}

interface Kinds {
  readonly inline: readonly string[];
  readonly blocks: readonly string[];
  readonly containers: readonly string[];
  readonly tables: boolean;
}

/** Trees that stand as HTML allows, with words in every element. */
export function treeOf({ inline, blocks, containers, tables }: Kinds): fc.Arbitrary<readonly Node[]> {
  const run = fc.letrec<{ line: Node; flow: Node }>((tie) => ({
    line: fc.oneof({ maxDepth: 2 }, words, breakOf('br'), elementOf(inline, tie('line')), link),
    flow: fc.oneof(
      { maxDepth: 2 },
      elementOf(blocks, tie('line')),
      elementOf(containers, tie('flow')),
      fc
        .tuple(fc.constantFrom('ul', 'ol'), fc.array(elementOf(['li'], tie('flow')), { minLength: 1, maxLength: 3 }))
        .map(([of, inner]): Node => ({ name: of, inner })),
      tables ? tableOf(tie('flow')) : words,
    ),
  }));
  return fc.array(fc.oneof(run.flow, words), { maxLength: 4 });
}

const link: fc.Arbitrary<Node> = fc
  .tuple(fc.constantFrom('https://a.example/?b=1&c="2"', 'http://b.example/', 'mailto:ann@example.com'), words)
  .map(([href, inner]) => ({ name: 'a', href: new URL(href).href, inner: [inner] }));

function tableOf(cell: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  const row = fc
    .array(elementOf(['td', 'th'], cell), { minLength: 1, maxLength: 3 })
    .map((inner): Node => ({ name: 'tr', inner }));
  const rows = fc.array(row, { minLength: 1, maxLength: 2 });
  const section = fc.tuple(fc.constantFrom('thead', 'tbody', 'tfoot'), rows);
  return fc
    .oneof(
      rows,
      fc
        .array(section, { minLength: 1, maxLength: 2 })
        .map((all) => all.map(([of, inner]): Node => ({ name: of, inner }))),
    )
    .map((inner) => ({ name: 'table', inner }));
}

const ENTITIES: Readonly<Record<string, readonly string[]>> = {
  '&': ['&amp;', '&#38;'],
  '<': ['&lt;', '&#x3c;'],
  '>': ['&gt;', '>'],
  '"': ['&quot;', '"'],
  é: ['&eacute;', 'é'],
  ' ': [' ', '\n', '&nbsp;'],
};

export interface Spelling {
  /** Picks one of several ways to write the same, by any number. */
  pick(ways: readonly string[]): string;
  /** Optional close tags are left out, names are in any case, attributes of editors are there. */
  readonly isLoose: boolean;
}

export const plainly: Spelling = { pick: ([first = '']) => first, isLoose: false };

/** A tree as an editor would write it. */
export function spelt(nodes: readonly Node[], { pick, isLoose }: Spelling): string {
  return nodes
    .map((node): string => {
      if (typeof node === 'string') return [...node].map((mark) => pick(ENTITIES[mark] ?? [mark])).join('');
      const of = isLoose ? pick([node.name, node.name.toUpperCase()]) : node.name;
      const looks = isLoose ? pick(['', ' style="color: red"', ' class=x', " data-x='>'", ' dir']) : '';
      const href =
        node.href === undefined ? '' : ` href="${node.href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
      if (VOID.includes(node.name)) return `<${of}${looks}${isLoose ? pick(['', '/', ' /']) : ' /'}>`;
      const end = isLoose && ['li', 'td', 'th', 'tr'].includes(node.name) ? pick(['', `</${of}>`]) : `</${of}>`;
      return `<${of}${looks}${href}>${spelt(node.inner, { pick, isLoose })}${end}`;
    })
    .join('');
}

/** What is to be read of a tree. */
export function tokensOf(nodes: readonly Node[], rel?: string): readonly Token[] {
  return merged(
    nodes.flatMap((node): readonly Token[] => {
      if (typeof node === 'string') return [{ kind: 'text', text: node }];
      const { name: of, href, inner } = node;
      const attributes = new Map(
        href === undefined ? [] : ([['href', href], ...(rel ? [['rel', rel] as const] : [])] as [string, string][]),
      );
      const open: Token = { kind: 'open', name: of, attributes };
      return VOID.includes(of) ? [open] : [open, ...tokensOf(inner, rel), { kind: 'close', name: of }];
    }),
  );
}

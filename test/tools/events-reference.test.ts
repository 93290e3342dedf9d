import { describe, expect, it } from 'vitest';
import { eventTypes, eventTypesOf } from '../../core/events/catalogue.ts';
import { compactJson } from '../../core/events/compact-json.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import { isDescribed, resourceOfType } from '../../core/events/schema-name.ts';
import { resources } from '../../core/resources/catalogue.ts';
import { generateEventsReference } from '../../tools/events-reference.ts';

const page = generateEventsReference();
const described = eventTypes.filter(({ type }) => isDescribed(resourceOfType(type)));

/** The anchor that Markdown renderers create for a heading. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

describe('generateEventsReference', () => {
  it('documents the meaning, the rule and an example of every event type', () => {
    for (const { type, meaning, when, byTime = false } of described) {
      expect(page).toContain(`\n### ${type}\n\n${meaning}${byTime ? ' Time-based (`*`).' : ''}\n\n${when}\n`);
    }
    const examples = [...page.matchAll(/```json\n(.*?)\n```/gs)].map(([, json = '']) => JSON.parse(json));
    // One more is in the introduction, and one more represents the resources without a field table.
    expect(examples).toHaveLength(described.length + 2);
    expect(examples).toContainEqual(
      exampleEvent(eventTypesOf('invoice').find(({ type }) => type === 'invoice.paid') ?? never()),
    );
  });

  it('documents the details of an event type and its line of text', () => {
    expect(page).toContain('`data.details`: `added` (list of strings), `removed` (list of strings)');
    expect(page).toContain('`data.details`: `from` (string or null), `to` (string or null).');
    expect(page).toContain(
      '\n> Invoice “Website relaunch, October” for Northwind Traders has been paid in full: 1,200.50\n',
    );
  });

  it('has no broken link within the page', () => {
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading));
    expect(new Set(anchors).size).toBe(anchors.length);
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.length).toBeGreaterThan(described.length);
    expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  });

  it('marks exactly the time-based events in the list', () => {
    const marked = [...page.matchAll(/^\| \[`([\w.]+)`\]\(#\w+\) \* \|/gm)].map(([, type]) => type);
    expect(marked).toEqual(described.filter(({ byTime }) => byTime).map(({ type }) => type));
  });

  it('lists all other resources in one section', () => {
    const others = page.slice(page.indexOf('\n## Other resources'));
    for (const { name } of resources.filter(({ name }) => !isDescribed(name))) expect(others).toContain(`\`${name}\``);
    expect(page).not.toContain('### milestone.created');
  });
});

describe('compactJson', () => {
  it('formats the same JSON within the line width', () => {
    for (const eventType of eventTypes) {
      const event = exampleEvent(eventType);
      const json = compactJson(event, ['record', 'previous']);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(event)));
      expect(json.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
  });

  it('breaks only values that do not fit on a line', () => {
    expect(compactJson({ a: [1, { b: null }], c: {}, d: [] })).toBe('{ "a": [1, { "b": null }], "c": {}, "d": [] }');
    const long = 'x'.repeat(80);
    expect(compactJson([long, long])).toBe(`[\n  "${long}",\n  "${long}"\n]`);
    expect(compactJson({ r: { a: 1, b: 2, c: long, d: long } }, ['r'])).toBe(
      `{\n  "r": {\n    "a": 1, "b": 2, "c": "${long}",\n    "d": "${long}"\n  }\n}`,
    );
  });
});

function never(): never {
  throw new Error('no such type');
}

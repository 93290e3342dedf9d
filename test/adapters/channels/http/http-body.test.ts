import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpBody } from '../../../../adapters/channels/http/http-body.ts';
import { HTTP_FORMATS } from '../../../../adapters/channels/http/settings.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../../core/events/examples.ts';
import { cacheJson } from '../../../../core/model/event-json.ts';
import { problemsOf } from '../../../core/events/event-schemas.ts';
import { event } from '../../../samples.ts';

const links = { task: 'https://work.example.com/tasks/view/{localid}' };
const closed = event('7', {
  dataschema: 'https://tidings.example/schema/events/task.closed.json#/$defs/data',
  data: { ...event('7').data, version: 4, record: { id: '7', localid: '00 7' } },
});
const parse = (body: string): unknown => JSON.parse(body);

describe('httpBody', () => {
  it('is the whole event by default', () => {
    expect(parse(httpBody({ events: [closed] }))).toEqual(closed);
    expect(httpBody({ events: [closed] })).toBe(httpBody({ events: [closed] }, 'cloudevents', links));
  });

  it('is exactly the stored JSON of the event', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const { data, ...envelope } = closed;
        const kept = JSON.stringify({ ...envelope, data: { ...data, record: { id: '7', field: parse(json) } } });
        const read = JSON.parse(kept) as typeof closed;
        const rebuilt = httpBody({ events: [read] });
        expect(rebuilt).toBe(kept);
        expect(httpBody({ events: [cacheJson(read, kept)] })).toBe(kept);
      }),
    );
  });

  it('has data as its last member and contains the marks, regardless of the stored order', () => {
    const { data, ...envelope } = closed;
    const kept = { data, ...envelope };
    cacheJson(kept, JSON.stringify(kept));
    expect(Object.keys(Object(parse(httpBody({ events: [kept] })))).at(-1)).toBe('data');
    expect(parse(httpBody({ events: [kept], mark: 'replay' }))).toEqual({ ...closed, replay: true });
    const usual = { ...envelope, data };
    cacheJson(usual, JSON.stringify(usual));
    expect(parse(httpBody({ events: [usual], mark: 'test' }))).toEqual({ ...closed, test: true });
    expect(parse(httpBody({ events: [usual] }, 'standard'))).toMatchObject({ timestamp: closed.time });
  });

  it('thin contains the id of the record but none of its fields', () => {
    expect(parse(httpBody({ events: [closed] }, 'thin', links))).toEqual({
      specversion: '1.0',
      id: 'evt_7',
      type: 'task.closed',
      source: '/sources/main',
      subject: 'task/7',
      time: closed.time,
      datacontenttype: 'application/json',
      data: { version: 4, id: '7', link: 'https://work.example.com/tasks/view/00%207' },
    });
  });

  it.each([
    ['the config has no link for the resource', {}],
    ['the record lacks a field of it', { task: 'https://work.example.com/{number}' }],
    ['it is no address of the web', { task: 'javascript:alert({localid})' }],
  ])('thin has no link when %s', (_, links) => {
    expect(parse(httpBody({ events: [closed] }, 'thin', links))).toMatchObject({ data: { version: 4, id: '7' } });
    expect(httpBody({ events: [closed] }, 'thin', links)).not.toContain('link');
  });

  it('standard is type, timestamp and data, as in Standard Webhooks', () => {
    const { type, time, data } = closed;
    expect(parse(httpBody({ events: [closed] }, 'standard'))).toEqual({ type, timestamp: time, data });
  });

  it.each(HTTP_FORMATS)('%s marks replays and tests only', (format) => {
    expect(parse(httpBody({ events: [closed], mark: 'replay' }, format))).toMatchObject({ replay: true });
    expect(parse(httpBody({ events: [closed], mark: 'test' }, format))).toMatchObject({ test: true });
    const plain = parse(httpBody({ events: [closed] }, format));
    expect(plain).not.toHaveProperty('replay');
    expect(plain).not.toHaveProperty('test');
  });

  it.each(HTTP_FORMATS)('%s marks a test event, also when it is replayed', (format) => {
    const madeUp = event('7', { test: true });
    expect(parse(httpBody({ events: [madeUp], mark: 'replay' }, format))).toMatchObject({ test: true, replay: true });
  });

  it.each(HTTP_FORMATS)('%s contains the time and the subject of any event', (format) => {
    const instant = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    fc.assert(
      fc.property(instant, fc.nat(), fc.jsonValue(), (time, version, value) => {
        const some = event('7', { time, data: { ...closed.data, version, details: { value } as never } });
        const body = parse(httpBody({ events: [some] }, format)) as Record<string, unknown>;
        expect(body).toMatchObject({ type: 'task.closed', data: { version } });
        expect(body.timestamp ?? body.time).toBe(time);
      }),
    );
  });

  it('matches the schema of its type, with and without marks', () => {
    const examples = eventTypes.map(exampleEvent).filter((example) => example !== undefined);
    expect(examples.length).toBeGreaterThan(50);
    for (const example of examples) {
      for (const mark of [{}, { mark: 'replay' }, { mark: 'test' }] as const)
        expect(problemsOf(JSON.parse(httpBody({ events: [example], ...mark })))).toEqual([]);
    }
  });
});

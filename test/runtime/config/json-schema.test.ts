/** The published JSON Schema accepts what the loader accepts, and refuses what it refuses, wherever it can. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigError } from '../../../core/model/errors.ts';
import { publishedConfigSchema } from '../../../runtime/config/json-schema.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { pathText } from '../../../runtime/config/problems.ts';
import { SECRET } from '../../samples.ts';
import { change, good, junk, placesOf } from './complete-config.ts';
import { RIGHT, WRONG_FOR_BOTH, WRONG_FOR_THE_LOADER } from './wrong-configs.ts';

const root = join(import.meta.dirname, '../../..');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validate = ajv.compile(publishedConfigSchema());

/** As the file has it: without keys that are undefined. */
const asWritten = (config: unknown): unknown => JSON.parse(JSON.stringify(config));
const accepts = (config: unknown) => validate(asWritten(config)) === true;
const errorsOf = (config: unknown) => (accepts(config) ? [] : validate.errors);

function loads(config: unknown, environment: Record<string, string> = {}): boolean {
  try {
    parseTree('tidings.yaml', asWritten(config), environment);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

describe('the JSON Schema of the config', () => {
  it.each(Object.entries(WRONG_FOR_BOTH))('refuses %s, as the loader does', (_, config) => {
    expect({ loads: loads(config), accepts: accepts(config) }).toEqual({ loads: false, accepts: false });
  });

  it.each(Object.entries(WRONG_FOR_THE_LOADER))('cannot refuse %s', (_, [config, reason]) => {
    expect({ loads: loads(config), accepts: accepts(config) }).toEqual({ loads: false, accepts: true });
    expect(reason).not.toBe('');
  });

  it.each(['agency.yaml', 'tidings.yaml', 'aws.yaml'])('accepts examples/%s', (name) => {
    const text = readFileSync(join(root, 'examples', name), 'utf8');
    expect(errorsOf(parse(text))).toEqual([]);
    expect(text).toContain('$schema=../schema/tidings.schema.json');
  });

  it.each(RIGHT)('accepts what the wrong configs vary: %j', (config) => {
    expect({ loads: loads(config), errors: errorsOf(config) }).toEqual({ loads: true, errors: [] });
  });

  it('refuses nothing that the loader accepts', () => {
    expect(errorsOf(good)).toEqual([]);
    const places = fc.record({ place: fc.constantFrom(...placesOf(good)), value: junk });
    fc.assert(
      fc.property(places, ({ place, value }) => {
        const config = change(good, place, value);
        if (loads(config)) expect([pathText(place), value, errorsOf(config)]).toEqual([pathText(place), value, []]);
      }),
      { numRuns: 300 },
    );
  });

  it('has an https URL as its name', () => {
    expect(publishedConfigSchema().$id).toMatch(/^https:\/\/\S+\/tidings\.schema\.json$/);
  });
});

describe('a variable', () => {
  const config = {
    sources: [
      {
        name: '${NAME}',
        baseUrl: 'https://${HOST}/api',
        token: '${TOKEN}',
        timeZone: '${ZONE}',
        resources: { task: { every: '${MINUTES}m' }, invoice: '${OFF}' },
        announceExisting: '${YES}',
        quota: { reserve: '${SHARE}', perMinute: '${TWO}' },
      },
    ],
    rules: { invoiceOverdueReminders: ['${TWO}', 14], taskDueSoon: '${TWO}d' },
    network: { allowHttp: '${YES}', allow: ['${RANGE}'] },
    aws: { paused: '${NO}', maxConcurrency: '${TWO}' },
    subscriptions: [
      {
        name: 'ops',
        events: ['${TYPE}'],
        where: {
          data: { record: { priority: [{ numeric: ['<=', '${TWO}'] }], title: [{ exists: '${YES}' }, '${TWO}'] } },
        },
        concurrency: '${TWO}',
        rate: '${TWO}/s',
        to: { http: { url: '${URL}', secret: '${SECRET}', format: '${FORMAT}' } },
      },
      { name: 'chat', events: ['*'], digest: { at: '${TIME}' }, to: { slack: { webhook: '${URL}' } } },
    ],
  };
  const environment = {
    NAME: 'agency',
    HOST: 'work.example.com',
    TOKEN: 'x',
    ZONE: 'Europe/Berlin',
    MINUTES: '5',
    OFF: 'off',
    YES: 'true',
    NO: 'false',
    SHARE: '0.25',
    TWO: '2',
    RANGE: '10.0.0.0/8',
    TYPE: 'task.closed',
    URL: 'https://ops.example.com',
    SECRET,
    FORMAT: 'thin',
    TIME: '08:30',
  };

  it('may stand for any value, also for numbers and booleans', () => {
    expect(errorsOf(config)).toEqual([]);
    const { sources, rules, subscriptions, network } = parseTree('tidings.yaml', config, environment);
    expect(sources).toMatchObject([{ announceExisting: true, quota: { reserve: 0.25, perMinute: 2 } }]);
    expect(rules).toMatchObject({ invoiceOverdueReminders: [2, 14] });
    expect(network.allowHttp).toBe(true);
    expect(subscriptions[0]).toMatchObject({
      concurrency: 2,
      // Text in a filter stays text: a field may be either.
      where: { data: { record: { priority: [{ numeric: ['<=', 2] }], title: [{ exists: true }, '2'] } } },
    });
  });

  it.each([
    ['YES', 'yes', "sources[0].announceExisting: expected true or false, got '${YES}'"],
    ['SHARE', '1/4', "sources[0].quota.reserve: expected a share from 0 to 0.95, got '${SHARE}'"],
    ['TWO', '2.5', "sources[0].quota.perMinute: expected a whole number of at least 1, got '${TWO}'"],
    ['TWO', '0x2', "sources[0].quota.perMinute: expected a whole number of at least 1, got '${TWO}'"],
    ['TWO', ' 2', "sources[0].quota.perMinute: expected a whole number of at least 1, got '${TWO}'"],
  ])('%s with the value %j is reported without showing it', (name, value, problem) => {
    const read = () => parseTree('tidings.yaml', config, { ...environment, [name]: value });
    expect(read).toThrow(problem);
  });
});

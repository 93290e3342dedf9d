import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJob, encodeJob } from '../../../adapters/sqs/job.ts';
import { GiveUp } from '../../../core/model/errors.ts';

const read = (body: string) => decodeJob({ messageId: 'm-1', body });

describe('decodeJob', () => {
  it('decodes what encodeJob encoded, for any names', () => {
    const name = fc.string({ minLength: 1, unit: 'binary' });
    const attempt = fc.integer({ min: 1, max: 1000 });
    const delivery = name.filter((one) => !one.startsWith('slk_'));
    const job = fc.oneof(
      fc.record({ kind: fc.constant('attempt' as const), delivery, attempt, group: name }),
      fc.record({ kind: fc.constant('task' as const), task: name.map((one) => `slk_${one}`), attempt, group: name }),
    );
    fc.assert(
      fc.property(job, (one) => {
        expect(read(encodeJob(one))).toEqual(one);
      }),
    );
  });

  it('decodes the due time, and ignores one that is not a text', () => {
    const job = { kind: 'attempt' as const, delivery: 'd', attempt: 2, group: 'g' };
    const stamped = { ...job, dueAt: '2026-11-14T12:00:00.000Z' };
    expect(read(encodeJob(stamped))).toEqual(stamped);
    expect(read('{"delivery":"d","attempt":2,"group":"g","dueAt":7}')).toEqual(job);
  });

  it('keeps the bytes of earlier versions, for attempts and for tasks', () => {
    const [dueAt, group] = ['2026-11-14T12:00:00.000Z', 'slack C1'];
    const attempt = `{"delivery":"dlv_1","attempt":2,"group":"ops","dueAt":"${dueAt}"}`;
    const task = '{"delivery":"slk_1","attempt":1,"group":"slack C1"}';
    expect(read(attempt)).toEqual({ kind: 'attempt', delivery: 'dlv_1', attempt: 2, group: 'ops', dueAt });
    expect(read(task)).toEqual({ kind: 'task', task: 'slk_1', attempt: 1, group });
    expect([attempt, task].map((body) => encodeJob(read(body)))).toEqual([attempt, task]);
  });

  it('ignores unknown keys, which a newer version may send', () => {
    expect(read('{"delivery":"d","attempt":2,"group":"g","more":true}')).toEqual({
      kind: 'attempt',
      delivery: 'd',
      attempt: 2,
      group: 'g',
    });
  });

  it.each([
    ['', 'nothing'],
    ['hello', "'hello'"],
    ['null', "'null'"],
    ['[1,2]', "'[1,2]'"],
    ['{"delivery":"d","attempt":"1","group":"g"}', `'{"delivery":"d","attempt":"1","group":"g"}'`],
    ['{"delivery":"d","attempt":0,"group":"g"}', `'{"delivery":"d","attempt":0,"group":"g"}'`],
    ['{"delivery":"d","attempt":1.5,"group":"g"}', `'{"delivery":"d","attempt":1.5,"group":"g"}'`],
    ['{"delivery":"","attempt":1,"group":"g"}', `'{"delivery":"","attempt":1,"group":"g"}'`],
    ['{"delivery":"d","attempt":1}', `'{"delivery":"d","attempt":1}'`],
    ['x'.repeat(100), `'${'x'.repeat(80)}…'`],
  ])('gives up on %j, and names the message', (body, shown) => {
    expect(() => read(body)).toThrow(GiveUp);
    expect(() => read(body)).toThrow(
      `queue message 'm-1': expected { delivery, attempt, group } as JSON, got ${shown}`,
    );
  });

  it('gives up on a body that is longer than any job, without parsing it', () => {
    const job = encodeJob({ kind: 'attempt', delivery: 'd', attempt: 2, group: 'g' });
    expect(read(job.padEnd(64 * 1024))).toMatchObject({ delivery: 'd' });
    expect(() => read(job.padEnd(64 * 1024 + 1))).toThrow(GiveUp);
  });

  it('never throws anything but GiveUp', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        try {
          read(body);
        } catch (error) {
          expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_JOB_UNREADABLE' });
        }
      }),
    );
  });
});

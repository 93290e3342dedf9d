import { describe, expect, it } from 'vitest';
import { signingSecretOf } from '../../../adapters/channels/registry.ts';
import { type Subscription, signingSecrets } from '../../../core/model/subscription.ts';
import { DAY, HOUR, plus } from '../../../core/model/time.ts';
import { carryOverRotation, rotateSecret } from '../../../core/subscriptions/rotate.ts';
import { NOON, subscription } from '../../samples.ts';

const to = (secret: string) => ({ channel: 'http', settings: { url: 'https://ops.example.com/hook', secret } });
const declared = (secret: string) => subscription('ops', { to: to(secret) });
const secrets = (one: Subscription, after: number) =>
  signingSecrets(one, signingSecretOf(one) ?? '', plus(NOON, after));
const carryOver = (one: Subscription, kept: Subscription | undefined, now: string) =>
  carryOverRotation(one, kept, now, signingSecretOf);

describe('a rotation of the signing secret', () => {
  const first = declared('${OLD}');
  const changed = rotateSecret(first, '${OLD}', 'file:/keys/new', NOON);

  it('signs with both secrets for a day, the new one first, and then with the new one', () => {
    expect(secrets(first, 0)).toEqual(['${OLD}']);
    expect(secrets(changed, 0)).toEqual(['file:/keys/new', '${OLD}']);
    expect(secrets(changed, DAY - 1)).toEqual(['file:/keys/new', '${OLD}']);
    expect(secrets(changed, DAY)).toEqual(['file:/keys/new']);
  });

  it('keeps every secret until its own end when it is repeated within a day', () => {
    const again = rotateSecret(changed, '${OLD}', 'file:/keys/newer', plus(NOON, HOUR));
    expect(secrets(again, 2 * HOUR)).toEqual(['file:/keys/newer', 'file:/keys/new', '${OLD}']);
    expect(secrets(again, DAY)).toEqual(['file:/keys/newer', 'file:/keys/new']);
    expect(secrets(again, DAY + HOUR)).toEqual(['file:/keys/newer']);
    const third = rotateSecret(again, '${OLD}', 'file:/keys/newest', plus(NOON, DAY));
    expect(secrets(third, DAY)).toEqual(['file:/keys/newest', 'file:/keys/newer', 'file:/keys/new']);
  });

  it('keeps those that were replaced when the new secret is put into the config', () => {
    const moved = carryOver(declared('file:/keys/new'), changed, plus(NOON, HOUR));
    expect(secrets(moved, 2 * HOUR)).toEqual(['file:/keys/new', '${OLD}']);
    expect(secrets(moved, DAY)).toEqual(['file:/keys/new']);
    expect(carryOver(declared('file:/keys/new'), changed, plus(NOON, DAY)).rotation).toBeUndefined();
  });

  it('survives a restart with the old secret in the config', () => {
    expect(carryOver(declared('${OLD}'), changed, plus(NOON, HOUR))).toEqual(changed);
    expect(secrets(carryOver(declared('${OLD}'), changed, plus(NOON, 9 * DAY)), 9 * DAY)).toEqual(['file:/keys/new']);
  });

  it('starts when the config has another secret', () => {
    const moved = carryOver(declared('${NEW}'), first, NOON);
    expect(secrets(moved, HOUR)).toEqual(['${NEW}', '${OLD}']);
    expect(secrets(moved, DAY)).toEqual(['${NEW}']);
    expect(carryOver(declared('${NEW}'), moved, plus(NOON, HOUR))).toEqual(moved);
    const after = carryOver(declared('${NEW}'), changed, plus(NOON, HOUR));
    expect(secrets(after, 2 * HOUR)).toEqual(['${NEW}', 'file:/keys/new', '${OLD}']);
    expect(secrets(after, DAY)).toEqual(['${NEW}', 'file:/keys/new']);
  });

  it('does not start for an unchanged or a new subscription', () => {
    expect(carryOver(first, first, NOON)).toBe(first);
    expect(carryOver(first, undefined, NOON)).toBe(first);
    const slack = subscription('ops', { to: { channel: 'slack', settings: { webhook: '${SLACK}' } } });
    expect(carryOver(slack, first, NOON)).toBe(slack);
  });
});

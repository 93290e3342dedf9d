/** Alerts about Tidings itself lead to the console if it has an address, else to a command. */

import { describe, expect, it } from 'vitest';
import { findAdvice } from '../../../core/messages/advice.ts';
import { linkTo, withConsoleLinks } from '../../../core/messages/link.ts';
import { event } from '../../samples.ts';

const failing = event('1', { type: 'subscription.failing', subject: 'subscription/ops team', source: '/tidings' });
const alert = { ...failing, data: { ...failing.data, record: { id: 'ops team', name: 'ops team' } } };
const MANAGE = { url: 'https://tidings.example.com/', console: 'on' } as const;

describe('an alert', () => {
  it('links to the page of the subscription, and names no command', () => {
    const link = linkTo(withConsoleLinks({}, MANAGE), alert);
    expect(link).toBe('https://tidings.example.com/console/subscriptions/ops%20team');
    expect(findAdvice(alert, { link })).toBe(
      'Check the receiver. Its messages are kept and retried; the linked page shows its responses.',
    );
    const down = event('2', { type: 'source.unreachable', subject: 'source/main' });
    expect(linkTo(withConsoleLinks({}, MANAGE), down)).toBe('https://tidings.example.com/console');
    expect(findAdvice(down, { link: 'x' })).not.toContain('`tidings');
  });

  it.each([
    undefined,
    { url: 'https://tidings.example.com' },
    { ...MANAGE, console: 'off' as const },
    { console: 'on' as const },
  ])('names a command without a console at a known address: %j', (manage) => {
    expect(linkTo(withConsoleLinks({}, manage), alert)).toBeUndefined();
    expect(findAdvice(alert)).toContain('`tidings deliveries --subscription NAME`');
  });

  it('keeps the links of the config', () => {
    const links = withConsoleLinks({ subscription: 'https://wiki.example.com/{name}' }, MANAGE);
    expect(linkTo(links, alert)).toBe('https://wiki.example.com/ops%20team');
  });
});

import { describe, expect, it } from 'vitest';
import { eventTypes, sayEvent } from '../../../core/events/catalogue.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { exampleEvent, exampleTransition } from '../../../core/events/examples.ts';

describe('the catalogue', () => {
  it('has every documented event type', () => {
    const promised: Record<string, string> = {
      task: 'created became_visible updated deleted restored closed reopened status_changed assigned unassigned owner_changed followers_changed priority_changed due_date_changed milestone_changed moved estimate_changed time_logged over_estimate due_soon overdue back_on_track stale',
      invoice:
        'created became_visible updated deleted restored payment_received partially_paid paid payment_reversed amount_changed due_date_changed due_soon overdue overdue_reminder settled_late',
      project:
        'created updated deleted activated deactivated manager_changed budget_changed end_date_changed ending_soon past_end',
      person: 'created updated deleted activated deactivated group_changed',
      client: 'created updated deleted activated deactivated',
      expense: 'created updated deleted',
      document: 'created updated deleted activated deactivated',
      group: 'created updated deleted',
      projectmodule: 'created updated deleted activated deactivated',
      milestone: 'created became_visible updated deleted',
      source:
        'baselined unreachable recovered unauthorized forbidden stale quota_low quota_exhausted mass_disappearance deletions_undecided incomplete unconfirmed zone_unknown clock_skewed role_changed',
    };
    const known = new Set(eventTypes.map(({ type }) => type));
    const missing = Object.entries(promised)
      .flatMap(([resource, names]) => names.split(' ').map((name) => `${resource}.${name}`))
      .filter((type) => !known.has(type));
    expect(missing).toEqual([]);
    expect(known.size).toBe(eventTypes.length);
  });

  it.each(eventTypes.map((eventType) => [eventType.type, eventType] as const))(
    '%s: its example fires it and has a complete line of text',
    (type, eventType) => {
      const event = exampleEvent(eventType);
      expect(event?.type).toBe(type);
      const line = event === undefined ? '' : sayEvent(event);
      expect(line).toMatch(/^\S.{10,160}$/);
      expect(line).not.toMatch(/undefined|null|\[object|NaN|somebody|some day|“”/);
      expect(eventType.meaning).toMatch(/\.$/);
      expect(eventType.when).toMatch(/^Fires .*\.$/);
    },
  );

  it.each(eventTypes.map((eventType) => [eventType.type, eventType] as const))(
    '%s: does not fire again without another change',
    (type, eventType) => {
      const { after } = exampleTransition(eventType);
      const again = { before: after, after: { ...after, version: after.version + 1 } };
      expect(deriveEvents(again).map((event) => event.type)).not.toContain(type);
    },
  );

  it.each(eventTypes.map((eventType) => [eventType.type, eventType] as const))(
    '%s: fires again with another id when it happens again, except for creation',
    (type, eventType) => {
      const { before, after } = exampleTransition(eventType);
      if (before === null) return expect(type).toMatch(/\.(?:created|became_visible)$/);
      const again = { before: { ...before, version: 10 }, after: { ...after, version: 11 } };
      const second = deriveEvents(again).find((event) => event.type === type);
      expect(second?.id).toMatch(/^evt_/);
      expect(second?.id).not.toBe(exampleEvent(eventType)?.id);
    },
  );
});

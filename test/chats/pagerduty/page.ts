/** Renders the page of the simulated PagerDuty: the alerts of the service, and its change events. Stores nothing. */

import { isObject, type JsonObject, textOf } from '../../../simulator/chat/json.ts';
import { chatPage, escapeHtml, timeHtml } from '../../../simulator/chat/page.ts';
import type { Alert } from './pagerduty.ts';

const STYLE = `
:root { --paper:#fff; --ink:#222; --soft:#636363; --line:#dcdcdc; --open:#c32f27; --done:#5a8a3c; }
@media (prefers-color-scheme: dark) { :root { --paper:#1b1c1d; --ink:#e6e6e6; --soft:#a0a0a0; --line:#3a3b3c; --open:#f0736b; --done:#93c373; } }
body { background: var(--paper); color: var(--ink); } header { background: #06ac38; color: #fff; }
article { border: 1px solid var(--line); border-left: 4px solid var(--soft); border-radius: 4px; padding: 9px 14px; max-width: 720px; }
article.open { border-left-color: var(--open); } article.done { border-left-color: var(--done); }
.state { font-size: 12px; font-weight: 600; color: var(--soft); } .open .state { color: var(--open); } .done .state { color: var(--done); }
dl { display: grid; grid-template-columns: 120px 1fr; gap: 2px 12px; margin-top: 6px; font-size: 13px; } dt { color: var(--soft); } dd { margin: 0; }
`;

export function pageOf(alerts: readonly Alert[], changes: readonly JsonObject[]): string {
  return chatPage({
    title: 'Simulated PagerDuty',
    style: STYLE,
    messages: [
      ...alerts.map((alert) => alertHtml(alert)),
      ...changes.map((change) => eventHtml('change', 'Change event', change, '')),
    ],
  });
}

function alertHtml({ payload, at, isOpen, count }: Alert): string {
  const times = count > 1 ? `, ${count} times` : '';
  const state = isOpen ? `Triggered${times} · ${textOf(payload.severity)}` : 'Resolved';
  return eventHtml(isOpen ? 'open' : 'done', state, payload, timeHtml(at));
}

function eventHtml(kind: string, state: string, payload: JsonObject, time: string): string {
  const details = isObject(payload.custom_details) ? Object.entries(payload.custom_details) : [];
  return [
    `<article class="${kind}"><p class="who"><span class="state">${escapeHtml(state)}</span> ${time}</p>`,
    `<p>${escapeHtml(textOf(payload.summary))}</p><dl>`,
    ...details.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(textOf(value))}</dd>`),
    '</dl></article>',
  ].join('');
}

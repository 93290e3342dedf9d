/**
 * A mail as a document of its own, for the frame of a preview. Its policy allows the styles of the mail and nothing else: no
 * script, no form, no request. It is shown in a frame only, never as a page of the console.
 */

import { notFound } from '../../manage/api/http/problem.ts';
import { previewDelivery, previewMessage } from '../../manage/api/preview-message.ts';
import { checkSubscription } from '../../manage/api/subscriptions/check-subscription.ts';
import type { PageContext } from '../page-context.ts';

const MAIL_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
} as const;

export async function showMail(page: PageContext): Promise<Response> {
  // A link from elsewhere must not show a text of its choice under this address.
  const { destination = 'iframe' } = page;
  const preview = destination === 'iframe' ? await renderMail(page) : null;
  const html = preview?.channel === 'email' ? preview.rendered.html : undefined;
  if (typeof html !== 'string') throw notFound('mail');
  return new Response(html, { headers: MAIL_HEADERS });
}

async function renderMail({ api, caller, url }: PageContext) {
  const get = (name: string) => url.searchParams.get(name) ?? undefined;
  const delivery = get('delivery');
  if (delivery !== undefined) return previewDelivery(api, caller, delivery);
  const template = [...url.searchParams].flatMap(([name, text]) =>
    name.startsWith('template.') ? [[name.slice('template.'.length), text]] : [],
  );
  const body = {
    events: ['*'],
    to: { email: { to: ['reader@example.com'] } },
    ...(get('timeZone') === undefined ? {} : { timeZone: get('timeZone') }),
    ...(template.length === 0 ? {} : { template: Object.fromEntries(template) }),
  };
  const subscription = await checkSubscription(api, caller, get('name') ?? 'new', body);
  const [event, type] = [get('event'), get('type')];
  return previewMessage(api, caller, subscription, {
    event,
    type,
  });
}

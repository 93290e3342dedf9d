/** The trigger "New Event": a REST hook. Tidings signs each request; the trigger verifies it. */

const { Webhook } = require('standardwebhooks');

const PING = 'tidings.ping';

const subscribe = async (z, bundle) => {
  const { data } = await z.request({
    method: 'POST',
    url: `${bundle.authData.url}/v1/subscriptions`,
    body: { targetUrl: bundle.targetUrl, event: bundle.inputData.event },
  });
  // Zapier keeps it as bundle.subscribeData.
  return { id: data.id, secret: data.secret };
};

/** 204 also if the subscription is gone already. */
const unsubscribe = async (z, bundle) => {
  await z.request({ method: 'DELETE', url: `${bundle.authData.url}/v1/subscriptions/${bundle.subscribeData.id}` });
  return {};
};

/** Zapier passes headers with its own prefix and letter case. */
const headersOf = ({ headers = {} }) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase().replace(/^http-/, ''), value]));

const receive = (z, bundle) => {
  const event = bundle.cleanedRequest;
  // Sent before the subscription exists, so that its secret is not known yet.
  if (event.type === PING) return [];
  try {
    new Webhook(bundle.subscribeData.secret).verify(bundle.rawRequest.content, headersOf(bundle.rawRequest));
  } catch (error) {
    throw new z.errors.HaltedError(`The request was not signed by Tidings: ${error.message}`);
  }
  return [event];
};

/** The newest events, for the editor of Zaps; the example of the type if there are none yet. */
const listSamples = async (z, bundle) => {
  const { url } = bundle.authData;
  const type = bundle.inputData.event;
  const events = await z.request({ url: `${url}/v1/events`, params: { type, order: 'newest', limit: 3 } });
  if (events.data.data.length > 0) return events.data.data;
  const types = await z.request({ url: `${url}/v1/event-types` });
  return types.data.data.filter((one) => one.type === type && one.example !== null).map(({ example }) => example);
};

module.exports = {
  key: 'new_event',
  noun: 'Event',
  display: { label: 'New Event', description: 'Triggers when an event of the chosen type occurs.' },
  operation: {
    type: 'hook',
    inputFields: [
      {
        key: 'event',
        label: 'Event Type',
        type: 'string',
        required: true,
        dynamic: 'event_type.id.name',
        helpText: 'Such as task.overdue. A custom value may be a pattern: `invoice.*`.',
      },
    ],
    performSubscribe: subscribe,
    performUnsubscribe: unsubscribe,
    perform: receive,
    performList: listSamples,
    sample: {
      id: 'evt_0000000000000000000000000000000a',
      type: 'task.closed',
      source: '/main',
      subject: 'task/412',
      time: '2026-11-14T09:00:00.000Z',
      data: { version: 3, record: { id: '412', title: 'Proofread the newsletter' }, changes: [] },
    },
    outputFields: [
      { key: 'id', label: 'Event ID' },
      { key: 'type', label: 'Event Type' },
      { key: 'subject', label: 'Record' },
      { key: 'time', label: 'Time', type: 'datetime' },
    ],
  },
};

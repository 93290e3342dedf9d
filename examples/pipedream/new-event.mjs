/** A Pipedream source: subscribes when it is deployed, verifies the signature of each request, and emits its event. */

import { Webhook } from 'standardwebhooks';

const PING = 'tidings.ping';
const MAX_SAMPLES = 10;

export default {
  key: 'tidings-new-event',
  name: 'New Event (Instant)',
  description: 'Emit new events of the chosen types, each once.',
  version: '0.0.1',
  type: 'source',
  // Attempts and replays of an event have the same id.
  dedupe: 'unique',
  props: {
    url: {
      type: 'string',
      label: 'Address of Tidings',
      description: 'Such as https://tidings.example.com, without /v1.',
    },
    key: {
      type: 'string',
      label: 'Key',
      description: 'From `tidings keys add pipedream --scope read subscribe`.',
      secret: true,
    },
    events: {
      type: 'string[]',
      label: 'Event Types',
      description: 'Which events to emit, such as task.overdue.',
      async options() {
        const { data } = await this.callApi('GET', '/event-types');
        return data.map(({ type }) => type);
      },
    },
    http: { type: '$.interface.http', customResponse: true },
    db: '$.service.db',
  },
  methods: {
    async callApi(method, path, body) {
      const response = await fetch(`${this.url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const answer = text === '' ? {} : JSON.parse(text);
      if (!response.ok) throw new Error(`Tidings: ${answer.detail ?? `status ${response.status}`}`);
      return answer;
    },
    emitEvent(event) {
      this.$emit(event, { id: event.id, summary: `${event.type} ${event.subject}`, ts: Date.parse(event.time) });
    },
  },
  hooks: {
    /** The newest events, so that a workflow can be built at once. */
    async deploy() {
      const pages = await Promise.all(
        this.events.map((type) =>
          this.callApi('GET', `/events?type=${encodeURIComponent(type)}&order=newest&limit=${MAX_SAMPLES}`),
        ),
      );
      const events = pages.flatMap(({ data }) => data).sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
      for (const event of events.slice(-MAX_SAMPLES)) this.emitEvent(event);
    },
    async activate() {
      const request = { targetUrl: this.http.endpoint, events: this.events };
      const { id, secret } = await this.callApi('POST', '/subscriptions', request);
      this.db.set('subscription', { id, secret });
    },
    /** The response is 204 also if the subscription is gone already. */
    async deactivate() {
      const subscription = this.db.get('subscription');
      if (subscription === undefined || subscription === null) return;
      await this.callApi('DELETE', `/subscriptions/${subscription.id}`);
      this.db.set('subscription', null);
    },
  },
  async run({ headers, bodyRaw, body }) {
    // Sent before the subscription exists, so that its secret is not known yet. It is not an event.
    if (body?.type === PING) {
      this.http.respond({ status: 204 });
      return;
    }
    try {
      new Webhook(this.db.get('subscription').secret).verify(bodyRaw, headers);
    } catch {
      this.http.respond({ status: 401, body: 'The signature is not valid' });
      return;
    }
    this.http.respond({ status: 204 });
    this.emitEvent(body);
  },
};

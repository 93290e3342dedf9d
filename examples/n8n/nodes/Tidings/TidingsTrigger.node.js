/** The trigger node: subscribes when a workflow is activated, and verifies the signature of each request. */

const { verifySignature } = require('./verify-signature.js');

const PING = 'tidings.ping';

/** Calls the API with the credentials. Returns the whole response, whatever its status. */
async function callApi(context, method, path, body) {
  const { url } = await context.getCredentials('tidingsApi');
  return context.helpers.httpRequestWithAuthentication.call(context, 'tidingsApi', {
    method,
    url: `${url}/v1${path}`,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    ...(body === undefined ? {} : { body }),
  });
}

function assertGood({ statusCode, body }) {
  if (statusCode < 300) return body;
  throw new Error(`Tidings: ${body?.detail ?? `status ${statusCode}`}`);
}

class TidingsTrigger {
  description = {
    displayName: 'Tidings Trigger',
    name: 'tidingsTrigger',
    icon: 'file:tidings.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when an event occurs',
    defaults: { name: 'Tidings Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'tidingsApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Event Type Names or IDs',
        name: 'events',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getEventTypes' },
        default: [],
        required: true,
        description:
          'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
    ],
  };

  methods = {
    loadOptions: {
      async getEventTypes() {
        const { data } = assertGood(await callApi(this, 'GET', '/event-types'));
        return data.map(({ type, meaning }) => ({ name: type, value: type, description: meaning }));
      },
    },
  };

  webhookMethods = {
    default: {
      async checkExists() {
        const kept = this.getWorkflowStaticData('node');
        if (kept.subscription === undefined) return false;
        const response = await callApi(this, 'GET', `/subscriptions/${kept.subscription}`);
        if (response.statusCode !== 404) {
          const { url, events } = assertGood(response);
          const isSame =
            url === this.getNodeWebhookUrl('default') && String(events) === String(this.getNodeParameter('events'));
          if (isSame) return true;
          assertGood(await callApi(this, 'DELETE', `/subscriptions/${kept.subscription}`));
        }
        delete kept.subscription;
        delete kept.secret;
        return false;
      },

      async create() {
        const kept = this.getWorkflowStaticData('node');
        const request = { targetUrl: this.getNodeWebhookUrl('default'), events: this.getNodeParameter('events') };
        const { id, active, secret } = assertGood(await callApi(this, 'POST', '/subscriptions', request));
        kept.subscription = id;
        kept.secret = secret;
        return active;
      },

      /** The response is 204 also if the subscription is gone already. */
      async delete() {
        const kept = this.getWorkflowStaticData('node');
        if (kept.subscription === undefined) return true;
        assertGood(await callApi(this, 'DELETE', `/subscriptions/${kept.subscription}`));
        delete kept.subscription;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook() {
    const event = this.getBodyData();
    // Sent before the subscription exists, so that its secret is not known yet. It starts no workflow.
    if (event.type === PING) return { webhookResponse: 'OK' };
    const { headers, rawBody } = this.getRequestObject();
    const { secret } = this.getWorkflowStaticData('node');
    if (!verifySignature({ secret, headers, rawBody, now: Date.now() })) {
      this.getResponseObject().status(401).send('The signature is not valid').end();
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray([event])] };
  }
}

module.exports = { TidingsTrigger };

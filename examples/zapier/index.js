/** The Zapier integration: how it authenticates, and its triggers. `zapier-platform push` publishes it. */

const { dependencies, version } = require('./package.json');
const eventType = require('./triggers/event-type.js');
const newEvent = require('./triggers/new-event.js');

const authentication = {
  type: 'custom',
  fields: [
    {
      key: 'url',
      label: 'Address of Tidings',
      type: 'string',
      required: true,
      helpText: 'Such as https://tidings.example.com, without /v1.',
    },
    {
      key: 'key',
      label: 'Key',
      type: 'password',
      required: true,
      helpText: 'From `tidings keys add zapier --scope read subscribe`.',
    },
  ],
  test: { method: 'GET', url: '{{bundle.authData.url}}/v1/event-types' },
  connectionLabel: '{{bundle.authData.url}}',
};

const addKey = (request, _z, bundle) => {
  if (bundle.authData?.key) request.headers.Authorization = `Bearer ${bundle.authData.key}`;
  return request;
};

/** Shows what the API says, instead of the whole response. */
const explainError = (response, z) => {
  const { status } = response;
  if (status < 400) return response;
  const { detail = `Tidings answered ${status}`, code = 'TIDINGS_API_RESPONSE' } = response.data ?? {};
  if (status === 401) throw new z.errors.Error(detail, 'AuthenticationError', status);
  if (status === 429) throw new z.errors.ThrottledError(detail, Number(response.getHeader('retry-after')) || 60);
  throw new z.errors.Error(detail, code, status);
};

module.exports = {
  version,
  platformVersion: dependencies['zapier-platform-core'],
  authentication,
  beforeRequest: [addKey],
  afterResponse: [explainError],
  triggers: { [newEvent.key]: newEvent, [eventType.key]: eventType },
};

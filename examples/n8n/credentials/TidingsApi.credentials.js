/** The credentials of the node: the address of Tidings and a key. n8n tests them with a request. */

class TidingsApi {
  name = 'tidingsApi';
  displayName = 'Tidings API';
  properties = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      placeholder: 'https://tidings.example.com',
      description: 'Without /v1 and without a slash at the end',
    },
    {
      displayName: 'Key',
      name: 'key',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description: 'From: tidings keys add n8n --scope read subscribe',
    },
  ];
  authenticate = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.key}}' } },
  };
  test = { request: { baseURL: '={{$credentials.url}}', url: '/v1/event-types' } };
}

module.exports = { TidingsApi };

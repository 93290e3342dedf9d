/** The event types of the dropdown. Zapier calls a hidden trigger to fill it. */

const listEventTypes = async (z, bundle) => {
  const { data } = await z.request({ url: `${bundle.authData.url}/v1/event-types` });
  return data.data.map(({ type, meaning }) => ({ id: type, name: type, meaning }));
};

module.exports = {
  key: 'event_type',
  noun: 'Event Type',
  display: { label: 'Event Types', description: 'Fills the dropdown of event types.', hidden: true },
  operation: { perform: listEventTypes },
};

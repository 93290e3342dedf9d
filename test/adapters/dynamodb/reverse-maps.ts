/**
 * DynamoDB does not keep the order of keys in items and maps; dynalite does. Reverses them in every response, so that a
 * value that is read differs in its order from the value that was written.
 */

import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Attributes = Record<string, AttributeValue>;

interface Output {
  Item?: Attributes;
  Items?: Attributes[];
  Attributes?: Attributes;
  Responses?: Record<string, Attributes[]>;
}

export function reverseMaps(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      reverseOutput(result.output as Output);
      return result;
    },
    // Below the middleware of tests that observes requests.
    { step: 'build' },
  );
  return client;
}

function reverseOutput(output: Output): void {
  const { Item, Items, Attributes, Responses } = output;
  if (Item !== undefined) output.Item = reverseMap(Item);
  if (Items !== undefined) output.Items = Items.map(reverseMap);
  if (Attributes !== undefined) output.Attributes = reverseMap(Attributes);
  for (const [table, items] of Object.entries(Responses ?? {})) {
    output.Responses = { ...output.Responses, [table]: items.map(reverseMap) };
  }
}

/** Also for the images of a stream. */
export function reverseMap(map: Attributes): Attributes {
  const entries = Object.entries(map).map(([name, value]) => [name, reverseAttribute(value)] as const);
  return Object.fromEntries(entries.reverse());
}

function reverseAttribute(value: AttributeValue): AttributeValue {
  if (value.M !== undefined) return { M: reverseMap(value.M) };
  if (value.L !== undefined) return { L: value.L.map(reverseAttribute) };
  return value;
}

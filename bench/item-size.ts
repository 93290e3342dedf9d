import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** The size that DynamoDB bills: UTF-8 bytes of names and values, and a few bytes for each container. */
export function sizeOf(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfAttribute(value), 0);
}

function sizeOfAttribute(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  // One byte for two digits, and one more.
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]|e.*$/g, '').length / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.SS !== undefined) return value.SS.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (value.L !== undefined) return 3 + value.L.reduce((sum, one) => sum + 1 + sizeOfAttribute(one), 0);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + sizeOf(value.M);
  return 1;
}

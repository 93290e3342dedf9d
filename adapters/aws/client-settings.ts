/**
 * Settings that all AWS SDK clients share. Plain values: each adapter loads its own SDK client, at first use, so that
 * the cold start of a function does not pay for services it may not call.
 */

import { SECOND } from '../../core/model/time.ts';

/** Passed to the SDK client. In production nothing is set, and the SDK reads the environment, the profile or the role. */
export interface AwsClientSettings {
  /** @default - the SDK's: AWS_REGION, then the profile */
  readonly region?: string;
  /** @default - the SDK's credential chain */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** @default - the SDK's: AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, then the regional endpoint */
  readonly endpoint?: string;
}

/**
 * For services that answer within milliseconds. The SDK has no request timeout by default: without one, a lost response
 * would hold a function until Lambda kills it, with its lease still taken. 3 s leaves time for a retry.
 */
export const FAST_REQUEST_HANDLER = {
  connectionTimeout: SECOND,
  requestTimeout: 3 * SECOND,
  // Without this the SDK only logs a warning.
  throwOnRequestTimeout: true,
  // `requestTimeout` ends when the response starts; this one covers a response that stalls midway.
  socketTimeout: 3 * SECOND,
} as const;

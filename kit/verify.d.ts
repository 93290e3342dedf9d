// Made from verify.ts by `npm run generate`: edit that.

/**
 * Verifies webhooks as Standard Webhooks signs them, and gives back the event. One file without dependencies, for Node 18
 * and later, Deno, Bun and Workers: use it as `tidings/verify`, or copy it. Answers no request and stores nothing.
 */
export type VerifyErrorCode = 
/** The secret or public key is not one: a fault of the receiver, not of the request. */
'bad_secret'
/** One of the three headers is not there. */
 | 'missing_header'
/** `webhook-timestamp` is no number of seconds. */
 | 'bad_timestamp'
/** Signed longer ago than `tolerance`: a copy of an old request, or a clock that is wrong. */
 | 'too_old'
/** Signed later than now and `tolerance`: a clock is wrong. */
 | 'too_new'
/** No signature fits: another secret, or not the bytes that were signed. */
 | 'no_match'
/** What was given as the body cannot be verified, because it is no longer what was sent. */
 | 'bad_body'
/** The signature is right, the body is not JSON. */
 | 'not_json';

/** Why a request is not to be trusted. The message may be answered and logged: it holds no secret. */
export declare class VerifyError extends Error {
  readonly name: string;
  readonly code: VerifyErrorCode;
  constructor(code: VerifyErrorCode, message: string);
}

/** What a body holds in the format `cloudevents`. `TidingsEvents` of `tidings/events` says it for each type. */
export interface WebhookEvent {
  /** The same however often it is sent. */
  readonly id: string;
  /** `task.closed` */
  readonly type: string;
  readonly source: string;
  /** `task/412` */
  readonly subject: string;
  readonly time: string;
  /** Made up, to see whether it arrives. */
  readonly test?: true;
  /** Sent once more, because a person asked. */
  readonly replay?: true;
  readonly data: {
    readonly version: number;
    readonly record: {
      readonly [field: string]: unknown;
    };
  };
}

/** `Headers`, or an object of them in any case, such as `request.headers` of Node. */
export type HeadersLike = {
  get(name: string): string | null;
} | {
  readonly [name: string]: string | readonly string[] | undefined;
};
export interface VerifyOptions {
  /** `whsec_…`, or a public key `whpk_…`. One of `secret`, `secrets` and `publicKey` is needed. */
  readonly secret?: string | undefined;
  /** When a secret changes: the new one and the old one, until nothing is signed with the old one any more. */
  readonly secrets?: readonly (string | undefined)[] | undefined;
  /** `whpk_…`, where the sender signs with Ed25519. */
  readonly publicKey?: string | undefined;
  readonly headers: HeadersLike;
  /** As it came over the wire, before anything parsed it. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** Seconds a signature may be old, or early. @default 300 */
  readonly tolerance?: number | undefined;
  /** Milliseconds since 1970, or a date. @default - the machine's clock */
  readonly now?: number | Date | undefined;
}

/** The event, once it is certain who sent it and that nobody changed it. Throws a VerifyError otherwise. */
export declare function verify<E = WebhookEvent>(options: VerifyOptions): Promise<E>;

/** The last ids that were taken, oldest forgotten first. In memory: a restart forgets, several processes do not share. */
export interface RecentIds {
  has(id: string): boolean;
  /** Call it when the event is dealt with, not before: one that failed comes again, and must not be dropped then. */
  add(id: string): void;
}

/** Helps to drop what comes twice. Each id costs some hundred bytes. */
export declare function recentIds(limit?: number): RecentIds;

/** Whether it tells of an older state than the one held. Events of one change share a version: equal is not stale. */
export declare function isStale(event: {
  readonly data: {
    readonly version: number;
  };
}, held: number | undefined): boolean;

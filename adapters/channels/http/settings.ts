/** The settings of an HTTP endpoint: `to: { http: … }` of a subscription. */

export interface HttpSettings {
  readonly url: string;
  /**
   * A reference to the signing secret, see `Secrets`. `whsec_…` signs with HMAC (`v1`), `whsk_…` with Ed25519 (`v1a`),
   * whose receiver needs only the public key.
   */
  readonly secret: string;
  /** Sent with every request. Values may be secret references. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Credentials of an endpoint behind a login, as secret references. @default - none */
  readonly auth?:
    | { readonly basic: { readonly user: string; readonly password: string } }
    | { readonly bearer: string };
  /**
   * The body: the whole event as `cloudevents`; ids and a link as `thin`, for receivers that fetch the record themselves;
   * `type`, `timestamp` and `data` as `standard`. @default cloudevents
   */
  readonly format?: HttpFormat;
  /**
   * The header `content-type`. CloudEvents libraries recognise a structured event only by `application/cloudevents+json`;
   * most frameworks parse only `application/json`. @default application/json
   */
  readonly contentType?: HttpContentType;
}

export const HTTP_FORMATS = ['cloudevents', 'thin', 'standard'] as const;
export type HttpFormat = (typeof HTTP_FORMATS)[number];

export const HTTP_CONTENT_TYPES = ['application/json', 'application/cloudevents+json'] as const;
type HttpContentType = (typeof HTTP_CONTENT_TYPES)[number];

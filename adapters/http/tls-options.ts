/** How every client of ours speaks TLS. */

import { constants } from 'node:crypto';
import { DEFAULT_CIPHERS } from 'node:tls';

export const TLS_OPTIONS = {
  /**
   * Node's own without those of finite-field Diffie-Hellman: there the server chooses the prime, and one of 10,000 bits takes the client
   * almost a second, in which nothing else runs. Servers without elliptic curves are older than 2013.
   */
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  /** A server could ask for one handshake after the other on the same connection. */
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

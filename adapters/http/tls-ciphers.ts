/** The cipher suites that are offered to servers. */

import { DEFAULT_CIPHERS } from 'node:tls';

/**
 * Node's own without those of finite-field Diffie-Hellman: there the server chooses the prime, and one of 10,000 bits takes the client
 * almost a second, in which nothing else runs. Servers without elliptic curves are older than 2013.
 */
export const TLS_CIPHERS = `${DEFAULT_CIPHERS}:!kDHE`;

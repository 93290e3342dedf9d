/**
 * How a function's code is bundled: what the stack tells esbuild, and the benchmark too. Plain data. What is left out is
 * never reached in Lambda: each of them is loaded only when something is missing that Lambda always has.
 */

/** Credentials come from the function's environment: no profile, login, process, SSO or web identity is ever asked. */
const OTHER_CREDENTIALS = [
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/nested-clients/*',
  '@smithy/credential-provider-imds',
] as const;

/** Parsers of HTTP for processors without SIMD; each is 70 KB of base64. */
const OTHER_PARSERS = ['*/llhttp-wasm.js'] as const;

export const BUNDLE = {
  format: 'esm',
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  external: [...OTHER_CREDENTIALS, ...OTHER_PARSERS],
  define: {
    // undici's own switch: leaves its experimental parser out.
    esbuildDetection: '1',
  },
  // What was written for CommonJS asks for Node's modules by `require`.
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
} as const;

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

/** Of undici: the parser for processors without SIMD, 72 KB of base64, and bodies that are forms or streams of fetch. */
const OTHER_HTTP = ['*/llhttp-wasm.js', '*/web/fetch/body.js', '*/web/fetch/formdata', '*/web/webidl'] as const;

export const BUNDLE = {
  format: 'esm',
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  external: [...OTHER_CREDENTIALS, ...OTHER_HTTP],
  alias: {
    // The sanitiser reads styles with it, and we let none through: it is asked for at the start and never called.
    postcss: 'node:util',
  },
  define: {
    // undici's own switch: leaves its experimental parser out.
    esbuildDetection: '1',
  },
  // What was written for CommonJS asks for Node's modules by `require`. Under a name that nobody else imports it by.
  banner: "import{createRequire as tidingsRequire}from'node:module';const require=tidingsRequire(import.meta.url);",
} as const;

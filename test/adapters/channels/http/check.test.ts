import { describe, expect, it } from 'vitest';
import { checkHttp } from '../../../../adapters/channels/http/check.ts';
import type { HttpSettings } from '../../../../adapters/channels/http/settings.ts';
import type { Mode } from '../../../../core/model/mode.ts';
import { environmentSecrets } from '../../../../runtime/config/installation.ts';
import { newSigningKey } from '../../../core/delivery/signing/ed-keys.ts';
import { SECRET } from '../../../samples.ts';

const ED_SECRET = newSigningKey(Buffer.alloc(32, 9));
const environment = {
  OPS_SECRET: SECRET,
  ED_SECRET,
  BAD_SECRET: 'whsec_hunter22',
  OPS_KEY: 'k-123',
  BAD_KEY: 'hunter22\r\nhost: evil',
};
const hook = { url: 'https://ops.example.com/', secret: '${OPS_SECRET}' };

/** The problems with their paths as text. */
function check(change: Partial<HttpSettings>, mode: Mode = 'embedded', allow: readonly string[] = []) {
  const network = { allowHttp: false, allow };
  const context = {
    network,
    refusesPrivateAddresses: mode === 'aws',
    hasSlackApp: false,
    knownSecret: environmentSecrets(environment),
  };
  return checkHttp({ ...hook, ...change }, context).map(({ path, message }) => ({ path: path.join('.'), message }));
}

describe('checkHttp', () => {
  it.each<[string, Partial<HttpSettings>]>([
    ['the least there can be', {}],
    ['an Ed25519 key', { secret: '${ED_SECRET}' }],
    ['a secret spelled out', { secret: SECRET }],
    ['a secret of a file, read when it is used', { secret: 'file:/run/secrets/ops' }],
    [
      'a variable that is not set, which is reported elsewhere',
      { secret: '${NOT_SET}', headers: { 'x-key': '${NOT_SET}' } },
    ],
    ['headers of its own', { headers: { 'X-Key': 'Key ${OPS_KEY}', 'User-Agent': 'Ops', 'x-file': 'file:/run/key' } }],
    ['a secret of AWS, which is reported elsewhere', { secret: 'ssm:/ops' }],
    ['a login', { auth: { basic: { user: 'ann', password: '${OPS_KEY}' } } }],
    ['the content type of CloudEvents', { contentType: 'application/cloudevents+json', format: 'thin' }],
    ['a token beside headers', { auth: { bearer: '${OPS_KEY}' }, headers: { 'x-key': 'a' } }],
    ['an address whose variables are not set', { url: 'https://${NOWHERE}/' }],
  ])('accepts %s', (_, change) => {
    expect(check(change)).toEqual([]);
  });

  it.each<[string, Partial<HttpSettings>, string, RegExp]>([
    ['a secret of a bad form', { secret: '${BAD_SECRET}' }, 'secret', /expected a signing secret: .*'whsec_'.*'whsk_'/],
    ['a key of a bad form', { secret: 'whsk_aHVudGVyMjI=' }, 'secret', /32 bytes of its public key/],
    ['a password in the address', { url: 'https://ann:hunter22@ops.example.com/' }, 'url', /use auth\.basic/],
    [
      'a reserved header',
      { headers: { 'Webhook-Id': 'hunter22' } },
      'headers.Webhook-Id',
      /webhook-id is set by Tidings/,
    ],
    ['the length', { headers: { 'content-length': '5' } }, 'headers.content-length', /set by Tidings/],
    ['a name that is none', { headers: { 'x key': 'hunter22' } }, 'headers.x key', /letters, digits/],
    ['a value of two lines', { headers: { 'x-key': '${BAD_KEY}' } }, 'headers.x-key', /on one line/],
    ['a header twice', { headers: { 'x-key': 'a', 'X-KEY': 'b' } }, 'headers.X-KEY', /got this one twice/],
    [
      'two logins',
      { headers: { Authorization: 'hunter22' }, auth: { bearer: 'b' } },
      'headers.Authorization',
      /got this one twice/,
    ],
    [
      'a body that is not a CloudEvent under its type',
      { contentType: 'application/cloudevents+json', format: 'standard' },
      'contentType',
      /expected application\/json/,
    ],
    ['a user with a colon', { auth: { basic: { user: 'a:b', password: 'hunter22' } } }, 'auth.basic.user', /colon/],
  ])('reports %s without showing secrets', (_, change, path, message) => {
    const problems = check(change);
    expect(problems).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect(JSON.stringify(problems)).not.toMatch(/hunter22|evil/);
  });

  it('reports all problems at once', () => {
    const paths = check({ secret: 'x', url: 'https://a:b@ops.example.com', headers: { host: 'a', te: 'b' } });
    expect(paths.map(({ path }) => path)).toEqual(['url', 'secret', 'headers.host', 'headers.te']);
  });
});

describe('an address in a config for AWS', () => {
  const inAws = (url: string, allow: readonly string[] = []) => check({ url, secret: 'ssm:/ops' }, 'aws', allow);

  it.each([
    ['https://10.0.0.4/hook', '10.0.0.4'],
    ['https://169.254.169.254/', '169.254.169.254'],
    ['https://[::1]/', '::1'],
    ['https://localhost:3000/hook', 'localhost'],
    ['https://0x7f.1/', '127.0.0.1'],
  ])('is reported if every delivery would reject it: %s', (url, host) => {
    expect(inAws(url)).toEqual([
      { path: 'url', message: `expected a public address (network.allow opens private ranges), got ${host}` },
    ]);
  });

  it('is accepted if it is public, allowed, or a host name', () => {
    expect(inAws('https://93.184.216.34/')).toEqual([]);
    expect(inAws('https://[2606:2800:220:1::1]/')).toEqual([]);
    expect(inAws('https://10.0.0.4/', ['10.0.0.0/8', 'no range, which is reported elsewhere'])).toEqual([]);
    expect(inAws('https://ops.example.com/')).toEqual([]);
    expect(inAws('https://${NOWHERE}/')).toEqual([]);
  });
});

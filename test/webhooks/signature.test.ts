import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/webhooks/signature.ts';
import { KIB } from '../support/form-limits.ts';

// Bytes 0 to 31, and 255 down to 224, whose base64 has both `/` and `+`.
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OTHER_SECRET = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=';
const BODY =
  '{"event":"submission","deployment_id":"d_1","data":{"naïve":"😀 \\u00e9"},"timestamp":"2026-11-03T10:00:00.000Z"}';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('sign', () => {
  // printf '%s' "$id.$timestamp.$body" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary | base64
  it.each<[string, string[], string]>([
    ['one secret', [SECRET], 'v1,99ETHcTQl0WxkfLUzfVzXCMAJ0tD1ApFr/bcJPpPUW4='],
    ['a secret with / and +', [OTHER_SECRET], 'v1,qu6CF//WZdReTHixn78EIzUOK+U41KWUf/8kj1wdF5M='],
    [
      'two secrets, in their order',
      [SECRET, OTHER_SECRET],
      'v1,99ETHcTQl0WxkfLUzfVzXCMAJ0tD1ApFr/bcJPpPUW4= v1,qu6CF//WZdReTHixn78EIzUOK+U41KWUf/8kj1wdF5M=',
    ],
  ])('gives what openssl does: %s', (_case, secrets, signature) => {
    expect(sign({ id: 'wh_msg1', timestamp: 1762164000, body: BODY }, secrets)).toBe(signature);
  });

  const bodies: [string, string][] = [
    ['plain', '{"a":1}'],
    ['not ASCII', '{"ключ":"значение 😀 \u2028 \ufeff"}'],
    ['escapes', '{"a":"\\u0000\\ud800\\n\\"\\\\","\\u005fb":1.10}'],
    ['dots, as between the parts', '{"a":"1.2.3"}'],
    ['256 KiB', `{"a":"${'é'.repeat(128 * KIB)}"}`],
  ];

  it.each(bodies)('is verified by the reference library, with either of two secrets: %s', (_kind, body) => {
    const secrets = [newSecret(), newSecret()];
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'webhook-id': 'msg_2Lh9',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id: 'msg_2Lh9', timestamp, body }, secrets),
    };
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    const isRefused = (secret: string, text: string, more: Partial<typeof headers>) =>
      expect(() => new Webhook(secret).verify(text, { ...headers, ...more })).toThrow('No matching signature found');
    isRefused(newSecret(), body, {});
    for (const secret of secrets) {
      isRefused(secret, `${body} `, {});
      isRefused(secret, body, { 'webhook-id': 'msg_2Lh8' });
      isRefused(secret, body, { 'webhook-timestamp': String(timestamp + 1) });
    }
  });
});

import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { atEnd } from './at-end.ts';

const CLIENT = { id: 'formhost', secret: 'a-secret:with/odd+characters%20' };

type Person = { email?: string; email_verified?: boolean | string };
type Claims = Record<string, unknown>;

/** A key that signs ID tokens. */
export const newKey = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, kid: randomUUID() };
};
type Key = ReturnType<typeof newKey>;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: Claims, { privateKey, kid }: { privateKey: KeyObject; kid: string }): string {
  const text = `${part({ alg: 'RS256', kid })}.${part(claims)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
}

/** A provider of OpenID Connect on this machine, at which one person is signed in. */
export class TestOpenidProvider {
  readonly #server: Server;
  #redirectUri = '';
  #provider: Provider | undefined;
  #key = newKey();
  issuer = '';
  /** What the provider knows of the person. */
  person: Person = {};
  /** Where the claims are: providers have them in the ID token, or at the userinfo endpoint only. */
  claimsIn: 'id-token' | 'userinfo' = 'id-token';
  /** Changes the claims of ID tokens; they are signed again. `key`: by another one. */
  forge: { claims?(claims: Claims): Claims; key?: Key } | undefined;
  /** The paths that were asked for. */
  asked: string[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      const provider = this.#provider;
      if (!provider) response.writeHead(500).end();
      else if (request.url?.startsWith('/interaction/')) {
        void provider.interactionFinished(request, response, { login: { accountId: 'person' } });
      } else void provider.callback()(request, response);
    });
  }

  /** Knows a service by its address from now on. */
  register(baseUrl: string): void {
    this.#redirectUri = `${baseUrl}/session/oidc/callback`;
    this.restart();
  }

  /** Listens. */
  async start(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('Listening on no port');
    this.issuer = `http://127.0.0.1:${address.port}`;
    return this;
  }

  /** Ends, and refuses connections. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get settings(): Record<string, string> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
  }

  /** Signs with another key from now on, and no longer shows the old one. */
  rotateKey(): void {
    this.#key = newKey();
    this.restart();
  }

  restart(): void {
    const { privateKey, kid } = this.#key;
    const provider: Provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [this.#redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256', kty: 'RSA' }] },
      cookies: { keys: [randomUUID()] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: this.claimsIn === 'userinfo',
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...this.person }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? 'person' });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token' || !this.forge || typeof context.body?.id_token !== 'string') return;
      const { claims = (same) => same, key = this.#key } = this.forge;
      const [, payload = ''] = context.body.id_token.split('.');
      const given: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      context.body = { ...context.body, id_token: signed(claims(given), key) };
    });
    this.#provider = provider;
  }

  /** Signs the person in at an address of the provider, as a browser does. Returns the path to which the provider leads back. */
  async visit(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = address;
    for (let steps = 0; steps < 10; steps += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } });
      await response.text();
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      url = new URL(response.headers.get('location') ?? '', url).href;
      if (url.startsWith(this.#redirectUri)) return url.slice(new URL(url).origin.length);
    }
    throw new Error(`The provider did not lead back from ${url}`);
  }
}

/** A provider until the test, or all of the file, has ended. */
export async function testOpenidProvider(baseUrl: string): Promise<TestOpenidProvider> {
  const provider = await new TestOpenidProvider().start();
  provider.register(baseUrl);
  atEnd(() => provider.stop());
  return provider;
}

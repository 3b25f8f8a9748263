import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Challenge } from '../../../lib/altcha.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { Endpoint } from '../../request/declaration.ts';
import { publicEndpoint } from '../../request/endpoint.ts';
import { badQuery, readQuery } from '../../request/query.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';

/** The widget with all of its translations; its worker is in the same file. */
const WIDGET = join(fileURLToPath(import.meta.resolve('altcha/i18n')), '..', 'altcha.i18n.min.js');

/** Pages of any origin use both. */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;
const documented = {
  'Access-Control-Allow-Origin': { description: 'Pages of any origin may read it.', schema: { const: '*' } },
};
const WIDGET_HEADERS = {
  ...ANY_ORIGIN,
  'Cache-Control': `public, max-age=${SIZES.captcha.widgetSeconds}`,
};

const invalidDeployment =
  'deployment is invalid: send the id of a deployment, or the address that its forms post to, once.';
const Query = z.object({
  deployment: z.string(invalidDeployment).meta({
    description: 'The id of a deployment, or the address that its forms post to, as `{{FORM_ACTION}}` becomes.',
    example: 'd_0VbbZBZKKTcBD17YQfyDgVGm',
  }),
});

const noForm = errorKind(
  { id: 'NoFormToChallenge', description: 'There is no such deployment, or it was deleted.' },
  () => new HttpError(404, 'No such deployment: check the id in the address of the challenge.'),
);

const example: z.infer<typeof Challenge> = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256',
    cost: 5_000,
    data: { deployment: 'd_0VbbZBZKKTcBD17YQfyDgVGm' },
    expiresAt: 1_795_968_000,
    keyLength: 32,
    keyPrefix: '9f0c1d5b7c3e4a8fb2d60c1e7a9b3f55',
    keySignature: 'c2b1f0a9e8d7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3',
    nonce: '0b6f7a1c9d2e4f508192a3b4c5d6e7f8',
    salt: '5f4e3d2c1b0a99887766554433221100',
  },
  signature: '1f2e3d4c5b6a798897a6b5c4d3e2f1000f1e2d3c4b5a69788796a5b4c3d2e1f0',
};

const challengeEndpoint = ({ limits, altcha, forms, clientAddress }: App) => {
  const { maxConcurrentChallenges, maxWaitingChallenges, challengeWaitTimeoutMs } = limits.spam;
  const queue = new FairQueue<string>({ slots: maxConcurrentChallenges, maxWaiting: maxWaitingChallenges });
  return publicEndpoint({
    method: 'GET',
    path: '/altcha/challenge',
    name: 'getChallenge',
    tag: 'Spam',
    summary: 'Get a challenge for a form',
    description:
      "ALTCHA's widget asks for it. Its solution counts once, for this deployment and for " +
      `${SIZES.captcha.challengeMinutes} minutes.`,
    query: Query,
    answer: { status: 200, description: 'A challenge.', schema: Challenge, example, headers: documented },
    errors: [badQuery, noForm],
    handle: (request) => async (response) => {
      response.setHeaders(new Map(Object.entries(ANY_ORIGIN)));
      // Before the first await: a socket that has closed has no address.
      const network = networkOf(clientAddress(request));
      const { deployment } = readQuery(request.url, Query);
      const id = deployment.split('/').at(-1) ?? '';
      if (!(await forms.get(id))) throw noForm();
      response.json(await queue.run(network, challengeWaitTimeoutMs, async () => (await altcha()).challenge(id)));
    },
  });
};

const widgetEndpoint = () => {
  const widget = new StaticFile('text/javascript', () => readFile(WIDGET), WIDGET_HEADERS);
  return publicEndpoint({
    method: 'GET',
    path: '/altcha.js',
    name: 'getWidget',
    tag: 'Spam',
    summary: "Get ALTCHA's widget",
    description: 'A module for pages of any origin. It loads nothing else but challenges.',
    answer: {
      status: 200,
      description: 'A script.',
      type: 'text/javascript',
      schema: z.string(),
      example: 'customElements.define("altcha-widget", …)',
      headers: documented,
    },
    otherAnswers: { 304: notModified },
    handle: () => widget.send,
  });
};

/** ALTCHA for the forms of deployments, on any site. */
export const altchaEndpoints = (app: App): Endpoint[] => [widgetEndpoint(), challengeEndpoint(app)];

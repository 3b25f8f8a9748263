import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Challenge } from '../../../forms/altcha.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import { perService } from '../../operation/declaration.ts';
import { ANY_ORIGIN_HEADER, publicOperation } from '../../operation/operation.ts';
import { badQuery, readQuery } from '../../request/query-values.ts';
import { ERROR_CODE, errorKind, HttpError } from '../../response/errors.ts';
import { notModified, StaticFile } from '../../response/static-file.ts';
import { FIT_WIDTH } from './altcha-width.ts';

/** The time for which browsers keep the widget. */
const WIDGET_SECONDS = 24 * 60 * 60;

/** The widget with all of its translations; its worker is in the same file. */
const WIDGET = join(fileURLToPath(import.meta.resolve('altcha/i18n')), '..', 'altcha.i18n.min.js');

/** Pages of any origin use both. */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;
const CHALLENGE_HEADERS = { ...ANY_ORIGIN, 'Access-Control-Expose-Headers': `Retry-After, ${ERROR_CODE}` };
const WIDGET_HEADERS = { ...ANY_ORIGIN, 'Cache-Control': `public, max-age=${WIDGET_SECONDS}` };

const invalidDeployment =
  'deployment is invalid: send the id of a deployment, or the address that its forms post to, once.';
const Query = z.object({
  deployment: z.string(invalidDeployment).meta({
    description: 'The id of a deployment, or the address that its forms post to, as `{{FORM_ACTION}}` becomes.',
    example: 'd_0VbbZBZKKTcBD17YQfyDgVGm',
  }),
});

const noForm = errorKind(
  {
    id: 'NoFormToChallenge',
    description: 'There is no such deployment, it was deleted or taken down, or its owner is suspended.',
  },
  () => new HttpError(404, 'No such deployment: check the id in the address of the challenge.'),
);

/** A challenge takes a thread about a millisecond. */
const queueOf = perService(() => new FairQueue<string>({ slots: 2, maxWaiting: 500 }));

const challengeOperation = publicOperation('GET', '/altcha/challenge', 'getChallenge', {
  summary: 'Get a challenge for a form',
  description: `ALTCHA's widget asks for it. Its solution counts once, for this deployment and for ${SIZES.captcha.challengeMinutes} minutes.`,
  query: Query,
  answer: { description: 'A challenge.', schema: Challenge, headers: ANY_ORIGIN_HEADER },
  errors: [badQuery, noForm],
  async handle(request, response, app) {
    const {
      limits,
      secrets: { altcha },
      submissions: { forms },
      requests: { clientAddress },
    } = app;
    response.set(CHALLENGE_HEADERS);
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const { deployment } = readQuery(request.url, Query);
    const id = deployment.split('/').at(-1) ?? '';
    if (!(await forms.getShown(id))) throw noForm();
    return queueOf(app).run(network, limits.spam.challengeWaitTimeoutMs, async () => (await altcha()).challenge(id));
  },
});

const readWidget = async (): Promise<Buffer> => Buffer.concat([await readFile(WIDGET), Buffer.from(FIT_WIDTH)]);
const widgetOf = perService(() => new StaticFile('text/javascript', readWidget, WIDGET_HEADERS));

const widgetOperation = publicOperation('GET', '/altcha.js', 'getWidget', {
  summary: "Get ALTCHA's widget",
  description:
    'A module for pages of any origin. It loads nothing else but challenges, and makes the widget as wide as the fields of its form.',
  answer: {
    description: 'A script.',
    type: 'text/javascript',
    schema: z.string(),
    example: 'customElements.define("altcha-widget", …)',
    headers: ANY_ORIGIN_HEADER,
  },
  otherAnswers: { 304: notModified },
  handle: (_request, response, app) => widgetOf(app).send(response),
});

/** ALTCHA for the forms of deployments, on any site. */
export const altchaOperations = [widgetOperation, challengeOperation];

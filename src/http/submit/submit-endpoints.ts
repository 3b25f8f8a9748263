import cors from 'cors';
import { z } from 'zod';
import { HONEYPOT, REDIRECT } from '../../forms/control-fields.ts';
import { LANGUAGES } from '../../lib/languages.ts';
import { SIZES } from '../../sizes.ts';
import { perService, type Settings } from '../operation/declaration.ts';
import { ANY_ORIGIN_HEADER, pageAnswer, publicOperation } from '../operation/operation.ts';
import { keyReused } from '../request/idempotency-key.ts';
import { tooManySubmissions } from '../response/errors.ts';
import { FORM_CLOSED } from '../response/form-closed.ts';
import { CORS, Received } from './answer-submission.ts';
import { declaredForeign, ForeignReceived } from './foreign-answer.ts';
import { formSuspended, noStorageForFiles, noSuchForm, originRefused, webhookLoop } from './refusals.ts';
import { submissionKey } from './submission-key.ts';
import { VisitorPages } from './visitor-pages.ts';

const example = { name: 'Ada', email: 'ada@example.org' };
// The page that shows the reference sends the fields that are named here, filled in. The honeypot must not be one of
// them.
const properties = {
  name: { type: 'string' as const, example: example.name },
  email: { type: 'string' as const, example: example.email },
};
const fields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const form = fields.meta({ maxProperties: SIZES.submission.maxFields, properties });
// OpenAPI 3.1 would have contentMediaType, but generators of clients know a file by its format.
const file = z.string().meta({ format: 'binary' });
const part = z.union([z.string(), file]);
const multipart = z.record(z.string(), z.union([part, z.array(part)])).meta({
  maxProperties: SIZES.submission.maxFields,
  properties: { ...properties, file: { type: 'string', format: 'binary', description: 'A file, under any name.' } },
  description: 'Any part may be a file: one with a `filename` or a `filename*`.',
});
const json = z.record(z.string(), z.unknown()).meta({ maxProperties: SIZES.submission.maxFields });

/** The bodies that a form may have. */
const content = {
  'application/json': { schema: json, example },
  'application/x-www-form-urlencoded': { schema: form, example },
  'multipart/form-data': { schema: multipart, example },
};

/** Answers a preflight (Fetch, 3.3.2): any origin, any header it asks for, no credentials. */
const allowAnyOrigin = cors({ methods: 'POST', maxAge: SIZES.submission.preflightSeconds, preflightContinue: true });

const describeSubmit = ({ config: { maxSubmissionBytes, maxFileBytes, maxFilesBytes } }: Settings): string =>
  'The forms of deployed pages post to it; it needs no key. Accepts any fields, in UTF-8: a JSON object (nested at ' +
  `most ${SIZES.submission.maxJsonDepth} levels, with at most ${SIZES.submission.maxJsonValues} values; its text is kept as it is), or a form ` +
  '(names are literal; a name that repeats becomes a list). In multipart, a field may name another charset, a part may be in base64 or ' +
  'quoted-printable, and `filename*` and `name*` (RFC 8187) count before the plain ones. ' +
  `At most ${SIZES.submission.maxFields} fields and ${maxSubmissionBytes} bytes of names and values, and in multipart ${SIZES.submission.maxFiles} ` +
  `files of ${maxFileBytes} bytes each, ${maxFilesBytes} together. Answered once it is stored. ` +
  `Fields named here are an example. \`${HONEYPOT}\` is a honeypot for robots: if it is filled in, the answer is that of a success, ` +
  'and nothing is stored or delivered. Control fields of Formspree, FormSubmit, Basin, Web3Forms and Netlify Forms have their meaning ' +
  'here too, and a submission with a honeypot of theirs that is filled in is spam. Every answer, errors included, has ' +
  '`Access-Control-Allow-Origin: *`. A browser that posts a form (urlencoded or multipart, with an Accept that names ' +
  'text/html) gets a 303 after a success, and a small page with the same status after an error. The pages speak ' +
  `${LANGUAGES.length} languages. A GET is a 405, for such a browser as a page that says what is wrong with the form.`;

/** The answer to a browser. */
const redirected = {
  description:
    'For browsers that post a form, instead of 200: a redirect to a page that thanks, so that a reload sends nothing twice; ' +
    `or to the address in the field \`${REDIRECT}\`, else to \`redirect_url\`.`,
  headers: {
    ...ANY_ORIGIN_HEADER,
    Location: {
      description:
        "`/submit/{deployId}/thanks`, an address on the page's own origin or on one of `allowed_origins`, or `redirect_url`.",
      schema: { type: 'string' },
    },
  },
} as const;

const errors = [
  ...[
    noSuchForm,
    formSuspended,
    originRefused,
    ...FORM_CLOSED,
    keyReused,
    tooManySubmissions,
    noStorageForFiles,
    webhookLoop,
  ],
];

const submitOperation = publicOperation('POST', '/submit/:deployId', 'submit', {
  summary: 'Submit a form',
  description: describeSubmit,
  requestHeaders: submissionKey,
  content,
  answer: { description: 'The submission is stored.', schema: Received, headers: ANY_ORIGIN_HEADER },
  otherAnswers: { 303: redirected },
  errors,
  pagesExcept: [webhookLoop],
});

const visitorPagesOf = perService((app) => new VisitorPages(app));

const thanksOperation = publicOperation('GET', '/submit/:deployId/thanks', 'getThanks', {
  summary: 'Thank a visitor',
  description:
    "What a browser shows after a success: a small page with a link back to the form's page. It says nothing of the submission. The " +
    'host of each page has the same at `/thanks`.',
  // A script that accepts HTML follows the redirect.
  answer: { ...pageAnswer('A page in the language of the visitor.'), headers: ANY_ORIGIN_HEADER },
  errors: [noSuchForm, formSuspended],
  pagesExcept: [],
  handle: ({ params: { deployId = '' } }, response, app) => visitorPagesOf(app).thank(response, deployId, CORS),
});

const preflight = (path: string, name: string) =>
  publicOperation('OPTIONS', path, name, {
    summary: 'Allow pages of any origin to submit (CORS preflight)',
    description: 'Browsers send it by themselves (CORS). Any origin may submit, with any headers, without credentials.',
    answer: { status: 204, description: 'The page may submit.', headers: ANY_ORIGIN_HEADER },
    handle: async (request, response) => allowAnyOrigin(request, response, () => void response.end()),
  });

const foreign = {
  requestHeaders: submissionKey,
  content,
  answer: { description: 'The submission is stored.', schema: ForeignReceived, headers: ANY_ORIGIN_HEADER },
  errors,
  errorAs: declaredForeign,
};

const foreignOperation = publicOperation('POST', '/f/:deployId', 'submitForeign', {
  ...foreign,
  summary: 'Submit a form that was made for another service',
  description:
    'As `POST /submit/{deployId}`, for a form of Formspree, FormSubmit, Basin, Getform, Web3Forms or Netlify Forms that gets this address ' +
    'in place of its own. Its scripts find their success in the answer (`ok`, `success`, `message`, `next`) or the reasons of an error ' +
    '(`error`, `message`, `errors`), also where `Accept` names another form of errors. The control fields of all these services have ' +
    'their meaning; honeypots are `_gotcha`, `_honey`, `botcheck`, `bot-field` and `honeypot`, and `false` is empty in them. A `subject` ' +
    'or `redirect` that the page of the deployment shows to visitors as a field is data. A browser that posts a form gets a redirect or ' +
    'a page, unless it sends `X-Requested-With`.',
  otherAnswers: { 303: redirected },
  pagesExcept: [webhookLoop],
});

const foreignJsonOperation = publicOperation('POST', '/f/:deployId.json', 'submitForeignJson', {
  ...foreign,
  summary: 'Submit a form that was made for another service, and always get JSON',
  description: 'As `POST /f/{deployId}`, but never with a redirect or a page.',
});

/** Where forms post to. Submissions are answered by submission-route.ts, ahead of Express. */
export const submitOperations = [
  ...[preflight('/submit/:deployId', 'submitPreflight'), submitOperation, thanksOperation],
  ...[preflight('/f/:deployId', 'submitForeignPreflight'), foreignOperation],
  ...[preflight('/f/:deployId.json', 'submitForeignJsonPreflight'), foreignJsonOperation],
];

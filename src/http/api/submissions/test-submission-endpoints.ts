import { z } from 'zod';
import { matchForm } from '../../../forms/match-form.ts';
import { newSubmissionId } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { RATE_LIMIT_HEADERS } from '../../request/rate-limit.ts';
import { answerObject, submissionId } from '../../request/shared-fields.ts';
import { noSuchDeployment } from '../../response/errors.ts';
import { takeDownNotices } from '../../response/notice-header.ts';
import { ONE_TEST, testsOf, tooManyTests } from '../deliveries/test-limit.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';

const { maxFields } = SIZES.submission;
const INVALID = 'fields is invalid: send an object with the names of fields and their values, which are strings.';

const Body = z.object({
  fields: z
    .record(z.string(), z.string(INVALID), INVALID)
    .refine(
      (fields) => Object.keys(fields).length <= maxFields,
      refused({ code: 'too-long', limit: maxFields }, `fields has too many: send at most ${maxFields}.`),
    )
    .default({})
    .meta({
      description: 'The names of fields of the form, and what is filled in.',
      short: 'Names of fields, and what is filled in.',
    }),
});
const Submitted = answerObject('TestSubmitted', { message: z.literal('Test submission received'), id: submissionId });

/** Trying a form out, without its page. */
export const testSubmissionOperation = operation('POST', '/submissions/:deployId/test', 'submitTest', {
  noAudit: 'It stores a sample, which goes after a day.',
  guests: 'editor',
  tool: {
    name: 'submit_test',
    description:
      'Sends a test to a form, open or not: webhooks and mail get it. Only search_submissions lists it, for a day. list_deliveries ' +
      'and list_mails show the outcome.',
  },
  command: {
    usage: 'submissions test <id>',
    text: 'Send a test to a form, which takes no place',
    help: [`$ submissions test contact --fields '{"name":"Ada"}'`],
    texts: { fields: 'names of fields of the form, and what is filled in' },
    prints: ({ id }) => id,
    says: () => 'received: webhooks and mail get it, and a search shows it for a day',
  },
  summary: 'Submit a test',
  description:
    'Webhooks and mail get it with the header `formhost-test: true`, also while the form is closed or full. It takes no place, and none ' +
    'of a minute; it is not checked for spam, and nobody gets a confirmation. It is in no list, stream, count, digest, statistic or ' +
    `export: a search shows it, with \`test\`, for ${SIZES.test.lifetimeHours} hours. It counts as ${ONE_TEST}`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  body: { schema: Body, example: { fields: { name: 'Ada', email: 'ada@example.org' } } },
  answer: { description: 'The test is stored.', schema: Submitted, headers: RATE_LIMIT_HEADERS },
  errors: [tooManyTests],
  async handle({ resource: { id: deploymentId, takenDownAt }, body: { fields }, notify, ...call }, app) {
    const {
      config,
      compute,
      submissions,
      requests: { clientAddress },
    } = app;
    // Its owner finds it at other endpoints: the 404 alone would not say why.
    if (takenDownAt) notify(takeDownNotices(config.abuseContact?.text).page);
    // Before the first await: a socket that has closed has no address.
    const ipAddress = clientAddress(call.request);
    await testsOf(app).countOwner(call);
    const id = newSubmissionId();
    const data = JSON.stringify(fields);
    const form = matchForm(await compute.formsOf(deploymentId), data).name;
    const test = { id, deploymentId, ownerId: call.owner.id, data, ipAddress, form, version: null };
    const { kind } = await submissions.store.storeTest(test, []);
    if (kind === 'no-deployment') throw noSuchDeployment();
    return { message: 'Test submission received' as const, id };
  },
});

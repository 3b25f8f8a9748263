import { z } from 'zod';
import { TEST_MARK } from '../../../forms/control-fields.ts';
import { newSubmissionId } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { answerObject, submissionId } from '../../request/shared-fields.ts';
import { noSuchDeployment, tooManySubmissions } from '../../response/errors.ts';
import { FORM_CLOSED, formClosed } from '../../response/form-closed.ts';
import { takeDownNotices } from '../../response/notice-header.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';

const { maxFields } = SIZES.submission;
const INVALID = 'fields is invalid: send an object with the names of fields and their values, which are strings.';

const Body = z.object({
  fields: z
    .record(z.string(), z.string(INVALID), INVALID)
    .refine(
      (fields) => Object.keys(fields).length < maxFields,
      refused({ code: 'too-long', limit: maxFields - 1 }, `fields has too many: send fewer than ${maxFields}.`),
    )
    .default({})
    .meta({ description: 'The names of fields of the form, and what is filled in.' }),
});
const Submitted = answerObject('TestSubmitted', { message: z.literal('Test submission received'), id: submissionId });

/** Trying a form out, without its page. */
export const testSubmissionOperation = operation('POST', '/submissions/:deployId/test', 'submitTest', {
  tool: {
    name: 'submit_test',
    description:
      'Stores a submission that is marked as a test, as if a visitor had sent it: webhooks and mail get it. The spam check is left ' +
      'out. list_deliveries and list_mails show the outcome.',
  },
  command: {
    usage: 'submissions test <id>',
    text: 'Store a submission that is marked as a test',
    help: [`$ submissions test contact --fields '{"name":"Ada"}'`],
    texts: { fields: 'names of fields of the form, and what is filled in' },
    prints: ({ id }) => id,
    says: () => 'received: webhooks and mail get it, as if a visitor had sent it',
  },
  summary: 'Submit a test',
  description:
    'Stores a submission with these fields, and `test`, which says that it is one. Webhooks and mail get it, and it counts for the ' +
    'limits of the form, which has to be open. It is not checked for spam, and nobody gets a confirmation.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  body: { schema: Body, example: { fields: { name: 'Ada', email: 'ada@example.org' } } },
  answer: { description: 'The submission is stored.', schema: Submitted },
  errors: [...FORM_CLOSED, tooManySubmissions],
  async handle(
    { request, resource: { id: deploymentId, takenDownAt }, body: { fields }, notify },
    { config, requests: { clientAddress }, submissions: { store: submissions, forms }, metrics },
  ) {
    // Its owner finds it at other endpoints: the 404 alone would not say why.
    if (takenDownAt) notify(takeDownNotices(config.abuseContact?.text).page);
    const id = newSubmissionId();
    const data = JSON.stringify({ ...fields, [TEST_MARK.name]: TEST_MARK.text });
    const ipAddress = clientAddress(request);
    const stored = await submissions.store({ id, deploymentId, data, ipAddress, isTest: true }, { files: [] });
    if (stored.kind === 'accepted' || stored.kind === 'rate-limited') metrics.submission(stored.kind);
    if (stored.kind === 'closed') metrics.submission('form-closed');
    if (stored.kind === 'rate-limited') throw tooManySubmissions(stored.retryAfterMs);
    const form = await forms.get(deploymentId);
    if (stored.kind === 'closed' && form) throw formClosed(stored.closing, form.rules.closedMessage);
    if (stored.kind !== 'accepted') throw noSuchDeployment();
    return { message: 'Test submission received' as const, id };
  },
});

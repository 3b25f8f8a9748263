import { z } from 'zod';
import type { LeasedDelivery } from '../../db/deliveries/delivery-queue.ts';
import type { Digest, DigestRange } from '../../db/deliveries/digest-queries.ts';
import type { NewConfirmation, Reservation } from '../../db/deliveries/visitor-confirmation-queries.ts';
import { type Confirmation, fillIn } from '../../forms/confirmation.ts';
import { addressFieldsOf, labelsOf, type PageForm } from '../../forms/forms-of-page.ts';
import { inBytes } from '../../lib/byte-size.ts';
import { FIRST_OWNER, toMailAddress } from '../../lib/mail-address.ts';
import { confirmationExpiry, type SignedLinks } from '../../lib/signed-links.ts';
import { FAILURES, failure } from '../../problems/delivery-failures.ts';
import { pageName } from '../../sites/page-name.ts';
import { SIZES } from '../../sizes.ts';
import { SAMPLE_DATA } from '../webhooks/payloads.ts';
import { type Block, button, code, compose, type Email, footer, inWords, paragraph } from './layout.ts';
import { digestEmail, onlyText, type SubmissionMail, submissionEmail, testEmail } from './submission-mails.ts';

/*
 * Each kind of mail: its row in `deliveries`, by its event, and the mail that is written of it. `notice` is JSON, as the
 * statement writes it that makes such a delivery.
 */

/** The look-ups for mails. */
export type MailSources = {
  /** A page's URL by its slug. */
  urlOf(slug: string): string;
  /** The origin of the API. */
  baseUrl: string;
  links(): Promise<SignedLinks>;
  /** The forms of a deployment's page, whose labels people see instead of the names of its fields. */
  formsOf(deploymentId: string, version?: number): Promise<readonly PageForm[]>;
  readDigest(deploymentId: string, range: DigestRange): Promise<Digest>;
  reserveConfirmation(confirmation: NewConfirmation): Promise<Reservation>;
};

/** A mail is not sent, and not tried again; the message is the reason, as the owner reads it. */
export class NotSent extends Error {}

/** Writes the mail of a row that has been read; undefined when there is nothing left to tell. */
type Write = (sources: MailSources) => Email | Promise<Email | undefined>;

/** A kind of mail: what its row has, and what is written of it. */
const kind =
  <Row>(row: z.ZodType<Row>, write: (row: Row, sources: MailSources) => ReturnType<Write>) =>
  (delivery: LeasedDelivery): Write => {
    const read = row.parse(delivery);
    return (sources) => write(read, sources);
  };

/** A text of JSON. */
const json = <Content>(content: z.ZodType<Content>) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(content);

/** Looks like the id of a submission, and is that of none. */
const EXAMPLE_REFERENCE = 'sub_0VbbZBZeswpZ5bGpjxVeCiYz';

const Row = z.object({
  deploymentId: z.string(),
  slug: z.string(),
  title: z.string().nullable(),
  createdAt: z.date(),
  timeZone: z.string(),
});
const ShownRow = Row.extend({ recipientId: z.string().nullable() });

/** Returns the facts about a page's fields that a mail needs. */
const namesIn = (forms: readonly PageForm[], form: string | null) => ({
  labels: labelsOf(forms, form),
  addressFields: addressFieldsOf(forms),
});

async function submissionMail(
  { deploymentId, slug, title, recipientId, timeZone }: z.infer<typeof ShownRow>,
  { urlOf, baseUrl, links, formsOf }: MailSources,
  form: string | null = null,
): Promise<SubmissionMail> {
  const [forms, signed] = await Promise.all([formsOf(deploymentId), links()]);
  const page = { deploymentId, name: pageName({ slug, title }), recipientId };
  return { ...page, pageUrl: urlOf(slug), baseUrl, ...namesIn(forms, form), timeZone, links: signed, now: new Date() };
}

const aboutSubmission = kind(
  ShownRow.extend({ submissionId: z.string(), data: z.string(), form: z.string().nullable() }),
  async ({ submissionId: id, data, form, ...row }, sources) => {
    const mail = await submissionMail(row, sources, form);
    return submissionEmail({ ...mail, submission: { id, data, form, createdAt: row.createdAt } });
  },
);

const test = kind(ShownRow, async (row, sources) =>
  testEmail({ ...(await submissionMail(row, sources)), data: SAMPLE_DATA.submission }),
);

const digest = kind(
  ShownRow.extend({
    notice: json(z.object({ after: z.number(), last: z.number(), from: z.coerce.date(), to: z.coerce.date() })),
  }),
  async ({ notice: range, ...row }, sources) => {
    const { submissions, total } = await sources.readDigest(row.deploymentId, range);
    // Its submissions have been deleted.
    if (total === 0) return undefined;
    const { from, to } = range;
    const forms = submissions.some(({ form }) => form !== null) ? await sources.formsOf(row.deploymentId) : [];
    const shown = submissions.map((one) => ({
      ...one,
      labels: one.form === null ? undefined : labelsOf(forms, one.form),
    }));
    return digestEmail({ ...(await submissionMail(row, sources)), from, to, submissions: shown, total });
  },
);

/** Asks a person whether to send mail about a deployment. `owner`: the address of the person who wants it. */
const confirmation = kind(
  Row.extend({ recipientId: z.string(), notice: json(z.object({ owner: z.string() })) }),
  async ({ deploymentId, slug, title, createdAt, timeZone, recipientId, notice: { owner } }, { urlOf, links }) => {
    const name = pageName({ slug, title });
    const expires = confirmationExpiry(createdAt);
    const url = (await links()).confirm({ deploymentId, recipientId }, expires);
    return compose(`Do you want mail about ${name}?`, [
      paragraph(
        `${owner} wants you to get a mail when a form of ${name} is submitted. You get none before you have confirmed.`,
      ),
      paragraph(
        `To get these mails, open this link until ${inWords(expires, timeZone)}, and press the button on the page:`,
      ),
      button('Confirm', url),
      paragraph('If you do not want them, do nothing.'),
      footer(
        `You get this mail because ${owner}, the owner of ${name}, gave your address. It comes once a day at most.`,
        [['Open the page', urlOf(slug)]],
      ),
    ]);
  },
);

const ConfirmationRow = Row.extend({
  confirmation: z.object({ field: z.string(), subject: z.string(), text: z.string() }),
  to: z.string(),
});

/** A page in the text of its owner: its name, with its address. */
const nameAndUrl = (page: { slug: string; title: string | null }, urlOf: MailSources['urlOf']): string =>
  `${pageName(page)} (${urlOf(page.slug)})`;

/** The owner's text, with nothing of the submission except its id. */
function confirmationEmail(
  { subject, text }: Confirmation,
  { reference, page, time }: { reference: string; page: string; time: Date },
): Email {
  // The values are the same in all languages.
  const values = { reference, page, date: time.toISOString().slice(0, 10) };
  return compose(fillIn(subject, values), [paragraph(fillIn(text, values))], '');
}

const NOT_RESERVED: Readonly<Record<Exclude<Reservation, 'reserved'>, string>> = {
  'refused-address': FAILURES['visitor-refused-before'],
  'address-limit': FAILURES['visitor-limit'],
  'owner-limit': FAILURES['confirmation-limit'],
};

/** Confirms a submission to its visitor. Replies go to the owner. */
const visitorConfirmation = kind(
  ConfirmationRow.extend({ id: z.string(), ownerId: z.number(), submissionId: z.string(), data: z.string() }),
  async ({ id, deploymentId, ownerId, confirmation, to: replyTo, ...row }, { urlOf, reserveConfirmation }) => {
    const visitor = toMailAddress(
      onlyText({ id: row.submissionId, data: row.data }, (name) => name === confirmation.field) ?? '',
    );
    if (visitor === undefined) {
      throw new NotSent(failure('visitor-address', { field: confirmation.field }));
    }
    const reservation = await reserveConfirmation({ id, deploymentId, ownerId, address: visitor });
    if (reservation !== 'reserved') throw new NotSent(NOT_RESERVED[reservation]);
    const about = { reference: row.submissionId, page: nameAndUrl(row, urlOf), time: row.createdAt };
    const email = { ...confirmationEmail(confirmation, about), visitor };
    return replyTo === FIRST_OWNER ? email : { ...email, replyTo };
  },
);

/** Shows the owner what visitors get. */
const confirmationPreview = kind(ConfirmationRow, ({ confirmation, createdAt, ...row }, { urlOf }) =>
  confirmationEmail(
    { ...confirmation, subject: `Preview: ${confirmation.subject}` },
    { reference: EXAMPLE_REFERENCE, page: nameAndUrl(row, urlOf), time: createdAt },
  ),
);

/** Tells the owner that a recipient was switched off. `recipients`: the whole list. */
const recipientOff = kind(
  Row.extend({
    notice: json(z.object({ recipient: z.string(), recipients: z.array(z.string()), last_error: z.string() })),
  }),
  ({ deploymentId, slug, title, notice: { recipient, recipients, last_error: lastError } }, { urlOf, baseUrl }) => {
    const name = pageName({ slug, title });
    // An address may have quotes and backticks, which a shell would read.
    const list = JSON.stringify({ recipients }).replaceAll("'", '\\u0027');
    return compose(`Mail to ${recipient} was switched off`, [
      paragraph(
        `${recipient} gets no more mail about ${name}, because mails to it were refused for good ${SIZES.recipient.maxRefusals} times in a row.`,
      ),
      paragraph(`Last failure: ${lastError}`),
      paragraph(
        'Check the address. This request, with your API key, switches it on again; without the address in the list, it removes it:',
      ),
      patch(`${baseUrl}/deploy/${deploymentId}`, list),
      footer(`You get this mail because you own ${name}.`, [['Open the page', urlOf(slug)]]),
    ]);
  },
);

/** Tells the owner that a page is no longer served at a domain. */
const domainBroken = kind(
  Row.extend({ notice: json(z.object({ domain: z.string(), problem: z.string() })) }),
  ({ deploymentId, slug, title, notice: { domain, problem } }, { urlOf, baseUrl }) => {
    const name = pageName({ slug, title });
    return compose(`${name} is no longer served at ${domain}`, [
      paragraph(`The domain ${domain} no longer leads to ${name}, because the record is gone by which you proved it.`),
      paragraph(problem),
      paragraph(
        'When the record is back, the service finds it within a day, or at once when you check the domain in the settings.',
      ),
      footer(`You get this mail because you own ${name}.`, [
        ['Open the settings', `${baseUrl}/dashboard/pages/${deploymentId}/settings`],
        ['Open the page', urlOf(slug)],
      ]),
    ]);
  },
);

/** Tells an owner that the storage is nearly full, or full. `used` and `limit` in bytes. */
const storage = kind(
  z.object({
    notice: json(z.object({ percent: z.number(), used: z.number(), limit: z.number(), plan: z.string() })),
  }),
  ({ notice: { percent, used, limit, plan } }, { baseUrl }) => {
    const isFull = percent >= 100;
    return compose(isFull ? 'Your storage is full' : `Your storage is ${percent} % full`, [
      paragraph(
        `Your pages, their versions and the files of submissions have ${inBytes(used)}, those in the trash and in spam included. Your plan (${plan}) allows ${inBytes(limit)}.`,
      ),
      paragraph(
        `${isFull ? 'New pages, changes of pages and files of visitors are refused.' : 'When it is full, new pages, changes of pages and files of visitors are refused.'} Submissions without files are always accepted.`,
      ),
      paragraph(
        'To free storage, delete pages for good in the trash, or submissions that have files. Or ask the operator for a larger plan.',
      ),
      footer(`You get this mail because you own pages at ${baseUrl}. It comes once until less is used.`, [
        ['Open the trash', `${baseUrl}/dashboard/trash`],
      ]),
    ]);
  },
);

const WebhookOff = json(
  z.object({
    webhook_id: z.string(),
    url: z.string(),
    /** True if the receiver answered 410. */
    gone: z.boolean(),
    last_error: z.string(),
    failing_since: z.coerce.date(),
  }),
);

/** Tells the owner that a webhook was switched off. */
const webhookOff = kind(
  Row.extend({ notice: WebhookOff }),
  ({ deploymentId, slug, title, timeZone, notice }, { urlOf, baseUrl }) => {
    const name = pageName({ slug, title });
    return compose(`A webhook of ${name} was switched off`, [
      ...aboutWebhook(notice, { name, timeZone, webhooksUrl: `${baseUrl}/webhooks/${deploymentId}` }),
      footer(`You get this mail because you own ${name}. It comes once a day for a webhook at most.`, [
        ['Open the page', urlOf(slug)],
      ]),
    ]);
  },
);

function aboutWebhook(
  webhook: z.infer<typeof WebhookOff>,
  { name, timeZone, webhooksUrl }: { name: string; timeZone: string; webhooksUrl: string },
): Block[] {
  const since = inWords(webhook.failing_since, timeZone);
  const reason = webhook.gone
    ? 'its receiver answered 410 Gone, which asks for no further deliveries'
    : `no delivery to it has succeeded since ${since}`;
  return [
    paragraph(`The webhook ${webhook.webhook_id} of ${name} was switched off: ${reason}.`),
    paragraph(`URL: ${webhook.url}\nFailing since: ${since}\nLast failure: ${webhook.last_error}`),
    paragraph(
      'Submissions that come while it is off are stored, and not sent to it. Deliveries that wait for another attempt are ' +
        'sent when it is on again. To switch it on, mend its receiver and send this request, with your API key:',
    ),
    patch(`${webhooksUrl}/${webhook.webhook_id}`, '{"active": true}'),
  ];
}

const patch = (url: string, body: string): Block =>
  code(`curl -X PATCH ${url} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '${body}'`);

/** The kinds by event. Each reads a row, and throws a ZodError for a row of another shape. */
export const MAIL_KINDS: ReadonlyMap<string, (delivery: LeasedDelivery) => Write> = new Map([
  // To the owner, and to a recipient.
  ['submission', aboutSubmission],
  ['submission-mail', aboutSubmission],
  ['test-mail', test],
  ['digest', digest],
  ['confirmation', confirmation],
  ['visitor-confirmation', visitorConfirmation],
  ['confirmation-preview', confirmationPreview],
  ['recipient-off', recipientOff],
  ['storage', storage],
  ['domain-broken', domainBroken],
  ['webhook-off', webhookOff],
]);

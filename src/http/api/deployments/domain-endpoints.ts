import { z } from 'zod';
import { domainsTarget } from '../../../config.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { addDomain, type Domain, findDomain, listDomains, removeDomain } from '../../../db/domains/domain-queries.ts';
import { domainFault, normalizeDomain } from '../../../domains/domain-names.ts';
import { recordsOf } from '../../../domains/domain-records.ts';
import { LIMITS } from '../../../limits.ts';
import { refused, refusedIssue } from '../../../problems/refusal.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { perService } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { ADDS } from '../../operation/tool.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { nameOf } from '../../request/hosts.ts';
import { ProcessStore, RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { answerObject, domainName, textField, textOrNull, time } from '../../request/shared-fields.ts';
import { errorKind, HttpError, inSeconds, noSuchDeployment, retryAfter, unavailable } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, missing, ownDeployment } from './own-deployment.ts';

const { maxOfDeployment } = SIZES.domain;
const { domainChecksPerMinute } = LIMITS.owners;
const CHECK_SECONDS = 60;

/** Help says so of the domain. */
const DOMAIN_TEXT = { domain: 'such as forms.shop.example' };

const exampleRecords = recordsOf(
  'forms.shop.example',
  'formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8',
  'contact.pages.example.net',
);
const Record = answerObject('DomainRecord', {
  type: z.enum(['TXT', 'CNAME', 'ALIAS']).meta({
    description:
      '`ALIAS` for a domain such as shop.example, for which DNS allows no CNAME record: `value` is a sentence then.',
  }),
  name: textField('The name of the record.', '_formhost.forms.shop.example'),
  value: textField('Its value.', 'formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8'),
  purpose: z
    .enum(['ownership', 'traffic'])
    .meta({ description: 'The record for ownership proves the domain, that for traffic leads visitors to the page.' }),
});
const CustomDomain = answerObject('CustomDomain', {
  domain: domainName,
  status: z.enum(['pending', 'live', 'broken']).meta({
    description:
      '`pending` until DNS has the record that proves it; `live`: the page is served there; `broken`: the proof has gone, and ' +
      'nothing is served.',
  }),
  records: z.array(Record).meta({ description: 'The records to add to DNS.', example: exampleRecords }),
  problem: textOrNull('The records that are wrong or missing, with what DNS answered.', null),
  checked_at: time.nullable().meta({ description: 'When DNS was asked last; null: never.' }),
  created_at: time,
});
const Domains = answerObject('Domains', { domains: z.array(CustomDomain) });
const Removed = answerObject('DomainRemoved', { message: z.literal('Domain removed'), domain: domainName });

const noSuchDomain = missing(
  'NoSuchDomain',
  'or it does not have this domain',
  'No such domain: choose one that {GET /deploy/:id/domains} lists.',
);
const domainLimit = errorKind(
  { id: 'DomainLimit', description: `The deployment has ${maxOfDeployment} domains.` },
  () => new HttpError(409, `The {deployment} has ${maxOfDeployment} domains: remove one first.`),
);
const domainTaken = errorKind(
  {
    id: 'DomainTaken',
    description: `The domain is live at another deployment, or this one has ${maxOfDeployment} domains.`,
  },
  () => new HttpError(409, 'The domain is live at another page: remove it there first.'),
);
const tooManyChecks = errorKind(
  {
    id: 'TooManyDomainChecks',
    description: `The owner has asked for ${domainChecksPerMinute} look-ups within a minute; also for the reasons of any request with a key.`,
    isCounted: true,
  },
  (retryAfterMs: number) =>
    new HttpError(429, `Too many look-ups: try again in ${inSeconds(retryAfterMs)}.`, retryAfter(retryAfterMs)),
  17_000,
);

/** The domain as the API shows it. */
async function toCustomDomain(
  { config, domains: { proofs: domainProofs } }: App,
  page: { id: string; slug: string },
  row: Domain,
) {
  const proof = (await domainProofs())(page.id);
  return toWire(CustomDomain, { ...row, records: recordsOf(row.domain, proof, domainsTarget(config, page.slug)) });
}

/** A deployment with its domain; throws 404. `domain`: as in the path, in any spelling. */
async function ownDomain({ db }: App, owner: Owner, { id, domain }: { id: string; domain: string }) {
  const page = await ownDeployment(db, owner, id);
  return { page, row: foundOr404(await findDomain(db, page.id, normalizeDomain(domain)), noSuchDomain) };
}

const listOperation = operation('GET', '/deploy/:id/domains', 'listDomains', {
  tool: {
    name: 'list_domains',
    description: 'With their DNS records, and what is wrong with these.',
  },
  command: {
    usage: 'domains list <id>',
    text: 'List the domains of a page',
    table: {
      columns: ['DOMAIN', 'STATUS', 'CHECKED', 'PROBLEM'],
      rows: ({ domains }) =>
        domains.map(({ domain, status, checked_at, problem }) => [domain, status, checked_at, problem]),
    },
  },
  summary: 'List the domains of a page',
  description: 'Oldest first. The page is served at each that is `live`, besides its own address.',
  find: (owner, { id }, app) => ownDeployment(app.db, owner, id),
  answer: { description: 'All domains.', schema: Domains },
  handle: async ({ resource: page }, app) => ({
    domains: await Promise.all((await listDomains(app.db, page.id)).map((row) => toCustomDomain(app, page, row))),
  }),
});

/** The body of a request that adds a domain. */
function additionBody({ baseUrl, domainsTarget: target, pagesDomain }: App['config']) {
  const hosts = [nameOf(new URL(baseUrl).host), ...(target === undefined ? [] : [target])];
  const own = { hosts, pagesDomain: nameOf(pagesDomain) };
  const wrong = 'domain is required: send a name such as forms.shop.example.';
  return z.object({
    domain: z
      .string(wrong)
      .superRefine((text, context) => {
        const found = domainFault(text, own);
        if (found) context.addIssue(refusedIssue(refused(found.fault, `domain ${found.problem}.`)));
      })
      .meta({ description: 'A domain of your own, or a name under it.', short: 'Such as forms.shop.example.' }),
  });
}

/** Counts the look-ups that follow additions: without a limit, adding and removing in turn would be look-ups without one. */
const wakesOf = perService(() => new ProcessStore(CHECK_SECONDS));
const checksOf = perService(
  ({ db, limits }) =>
    new RateLimit({
      name: 'domain-checks',
      max: limits.owners.domainChecksPerMinute,
      seconds: CHECK_SECONDS,
      refusal: tooManyChecks,
      sharedIn: db,
    }),
);

const addOperation = operation('POST', '/deploy/:id/domains', 'addDomain', {
  audit: 'domain.add',
  tool: {
    name: 'add_domain',
    description:
      "Adds a domain of the user's own. Give the user the records, to add at the DNS provider, then check_domain.",
  },
  command: {
    usage: 'domains add <id> <domain>',
    text: 'Add a domain, and print its DNS records',
    texts: DOMAIN_TEXT,
    help: ['$ domains add contact forms.shop.example'],
    table: {
      columns: ['TYPE', 'NAME', 'VALUE'],
      rows: ({ records }) => records.map((one) => [one.type, one.name, one.value]),
    },
    says: ({ domain }, { id }) =>
      `add these records at your DNS provider, then: formhost domains check ${id} ${domain}`,
  },
  summary: 'Add a domain to a page',
  description: `Add the \`records\` of the answer to DNS; the service looks them up at once, and again later. At most ${maxOfDeployment} a deployment. A domain that the deployment has already stays as it is.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  body: ({ config }) => ({ schema: additionBody(config), example: { domain: 'forms.shop.example' } }),
  answer: { status: 201, description: 'The domain is added.', schema: CustomDomain },
  errors: [domainLimit, domainTaken],
  async handle({ owner, resource: page, body, setHeaders }, app) {
    const row = await addDomain(app.db, page.id, normalizeDomain(body.domain));
    if (row === 'no-deployment') throw noSuchDeployment();
    if (row === 'limit-reached') throw domainLimit();
    if (row === 'live-elsewhere') throw domainTaken();
    const { totalHits } = wakesOf(app).increment(String(owner.id));
    if (totalHits <= app.limits.owners.domainChecksPerMinute) app.domains.checks.wake();
    setHeaders({ Location: `/deploy/${page.id}/domains/${row.domain}` });
    return toCustomDomain(app, page, row);
  },
});

const checkOperation = operation('POST', '/deploy/:id/domains/:domain/check', 'checkDomain', {
  noAudit: 'It looks the records up, as the service does by itself.',
  tool: {
    name: 'check_domain',
    description: 'Looks the DNS records up now. live: the page is served there; problem says what is wrong.',
    hints: { ...ADDS, idempotentHint: true },
  },
  command: {
    usage: 'domains check <id> <domain>',
    text: 'Look at the DNS records of a domain now, and print its status',
    help: ['The exit code is 1 unless the domain is live.'],
    texts: DOMAIN_TEXT,
    prints: ({ status }) => status,
    says: ({ problem }) => problem,
    isFailure: ({ status }) => status !== 'live',
  },
  summary: 'Look a domain up in DNS now',
  description: `Requests at the same time share a look-up. An owner may ask for ${domainChecksPerMinute} in a minute.`,
  find: (owner, ids, app) => ownDomain(app, owner, ids),
  takesLong: true,
  answer: { description: 'The domain as it is now.', headers: RATE_LIMIT_HEADERS, schema: CustomDomain },
  errors: [noSuchDomain, tooManyChecks],
  async handle({ response, queue, resource: { page, row }, ...call }, app) {
    await queue(() => checksOf(app).countOwner({ ...call, response }));
    // The time for DNS is bounded on its own.
    const resumeDeadline = pauseDeadline(response);
    const { domain } = row;
    await app.domains.checks
      .check({ deploymentId: page.id, slug: page.slug, domain })
      .catch((error: unknown) => {
        throw app.lifecycle.stopping.aborted ? unavailable('The service is stopping: try again shortly.') : error;
      })
      .finally(resumeDeadline);
    return queue(async () =>
      toCustomDomain(app, page, foundOr404(await findDomain(app.db, page.id, domain), noSuchDomain)),
    );
  },
});

const removeOperation = operation('DELETE', '/deploy/:id/domains/:domain', 'removeDomain', {
  audit: 'domain.remove',
  tool: { name: 'remove_domain', description: 'The page is no longer served there. Ask the user before.' },
  command: {
    usage: 'domains remove <id> <domain>',
    text: 'Remove a domain from a page',
    texts: DOMAIN_TEXT,
    prints: ({ domain }) => domain,
    says: () => 'removed: delete its records at your DNS provider too',
  },
  summary: 'Remove a domain from a page',
  description: 'The page is no longer served there.',
  find: (owner, ids, app) => ownDomain(app, owner, ids),
  answer: { description: 'The domain is removed.', schema: Removed },
  errors: [noSuchDomain],
  async handle({ resource: { page, row } }, app) {
    if (!(await removeDomain(app.db, page.id, row.domain))) throw noSuchDomain();
    await app.lifecycle.onDeploymentChange({ deploymentId: page.id, slug: page.slug });
    return { message: 'Domain removed' as const, domain: row.domain };
  },
});

/** The custom domains of a page. */
export const domainOperations = [listOperation, addOperation, checkOperation, removeOperation];

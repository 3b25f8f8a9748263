import { askForEmailChange, findEmailChange, useEmailChange } from '../../../db/account/email-change-queries.ts';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import type { AccountMail } from '../../../lib/events.ts';
import { hashOfKey, newToken } from '../../../lib/ids.ts';
import { FIRST_OWNER } from '../../../lib/mail-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest, ToolCall } from '../../operation/declaration.ts';
import { translationsOfPerson } from '../../request/person-language.ts';
import { RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';
import { askStep, linkStep, tokenHash } from '../links/link-endpoint.ts';

const { linkHours, maxAsks, askSeconds } = SIZES.emailChange;

const noMailServer = errorKind(
  { id: 'NoMailServer', description: 'The service has no mail server, which a new `email` needs.' },
  () =>
    new HttpError(409, 'Your address was not changed: the operator must set SMTP_URL, so that a mail can confirm it.'),
);
/** An owner learns this of few addresses, and nobody else does. */
const emailTaken = errorKind(
  { id: 'EmailTaken', description: 'Another owner has the `email`, or the service has no mail server.' },
  () => new HttpError(409, 'Your address was not changed: another account has this one. Choose another address.'),
);
const tooManyAsks = errorKind(
  {
    id: 'TooManyEmailChanges',
    description: `The owner has sent more than ${maxAsks} new addresses in ${askSeconds / 3_600} hour; also for the reasons of any request with a key.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, `Too many new addresses: try again in ${inSeconds(leftMs)}.`, retryAfter(leftMs)),
  askSeconds * 1_000,
);
const noSuchLink = errorKind(
  {
    id: 'NoSuchEmailLink',
    description: 'The link was changed, has been used, or has expired; or a later one replaces it.',
  },
  () =>
    new HttpError(
      404,
      `A link works once, for ${linkHours} hours, and only the last one does. Change the address in the dashboard again, and open that.`,
    ),
);

/** The errors of a new address. */
export const emailChangeErrors = [noMailServer, emailTaken, tooManyAsks];

/** Sends a mail after the answer: a mail server can be slow. */
function mailLater({ delivery: { mailAccount }, log }: App, to: string, mail: AccountMail): void {
  mailAccount?.(to, mail).catch((error: unknown) => log.warn({ err: error }, `the mail ${mail.kind} was not sent`));
}

/** Asks new addresses of owners, and bounds how many. */
export class EmailChanges {
  readonly #app: App;
  readonly #asks = new RateLimit({
    name: 'email-changes',
    max: maxAsks,
    seconds: askSeconds,
    refusal: tooManyAsks,
  });

  constructor(app: App) {
    this.#app = app;
  }

  /** Mails a link to an address, which is the owner's once it is opened. Throws 409 and 429. */
  async ask(call: Pick<ToolCall, 'owner' | 'request' | 'response'>, email: string): Promise<void> {
    const {
      db,
      config,
      delivery: { mailAccount },
    } = this.#app;
    if (!mailAccount) throw noMailServer();
    // An address that is taken counts as well: otherwise an owner could find out which addresses there are.
    await this.#asks.countOwner(call);
    const token = newToken();
    const { language } = translationsOfPerson(call.request.headers);
    if (!(await askForEmailChange(db, call.owner.id, email, hashOfKey(token)))) throw emailTaken();
    mailLater(this.#app, email, { kind: 'new-address', language, url: `${config.baseUrl}/me/email/${token}` });
  }
}

/** People open it, and no program calls it. */
const link = { path: '/me/email/:token', isHidden: true, noSuchLink, errors: [emailTaken] };

/** The address that a link confirms. Throws 409 where somebody else has it by now. */
async function find(app: App, request: EndpointRequest): Promise<string | undefined> {
  const wanted = await findEmailChange(app.db, tokenHash(request, noSuchLink));
  if (wanted?.isTaken) throw emailTaken();
  return wanted?.email;
}

async function change(app: App, request: EndpointRequest): Promise<string | undefined> {
  const changed = await useEmailChange(app.db, tokenHash(request, noSuchLink), app.requests.clientAddress(request));
  if (changed === 'taken') throw emailTaken();
  if (changed && changed.before !== FIRST_OWNER) {
    mailLater(app, changed.before, { kind: 'address-changed', newAddress: changed.after });
  }
  return changed?.after;
}

/** The link in a mail by which an owner confirms a new address. */
export const emailChangeOperations = [
  askStep(link, {
    name: 'askToChangeEmail',
    summary: 'Ask an owner whether to use a new e-mail address',
    find: (request, app) => find(app, request),
    page: (email) => ({
      title: 'Use this address?',
      text: `Mail for your account will go to ${email}, and links that sign in as well.`,
      button: 'Use it',
    }),
  }),
  linkStep('POST', link, {
    name: 'changeEmail',
    summary: 'Confirm a new e-mail address',
    description:
      'From now on it is the one of the account. The link is in the mail to the new address, and works once, for ' +
      `${linkHours} hours.`,
    answer: 'The address is changed.',
    find: (request, app) => change(app, request),
    page: (email) => ({
      title: 'Your address was changed',
      text: `Mail for your account goes to ${email} from now on.`,
      dashboard: VIEW_PATHS.account,
    }),
  }),
];

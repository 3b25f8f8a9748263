import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import {
  type Addresses,
  type CheckedFile,
  CheckedPage,
  type CheckedScript,
  type Problem,
  type Toolless,
} from '../../../compute/check/answer.ts';
import { PLACEHOLDER } from '../../../compute/render-page.ts';
import { OverLimitError, type Thread } from '../../../compute/thread.ts';
import type { Owner } from '../../../db/account/owner-queries.ts';
import {
  findLivePage,
  type HtmlFile,
  htmlFilesOf,
  readWhole,
  type WholePage,
} from '../../../db/deployments/html-file-queries.ts';
import type { SiteFile } from '../../../db/deployments/site-file-queries.ts';
import { type FormRules, findAdditions, rulesOf } from '../../../db/submissions/form-queries.ts';
import type { CaptchaProvider } from '../../../forms/captcha-fields.ts';
import { literal } from '../../../problems/sentence.ts';
import { checkLimits, type SentFiles } from '../../../sites/sent-files.ts';
import { INDEX, isHtmlPath, isReplacedIn, isScriptPath, isTextPath, shownPath } from '../../../sites/site-paths.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type JsonPieces, jsonText } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { READS } from '../../operation/tool.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { NOTICE_HEADER } from '../../response/notice-header.ts';
import { foundOr404, ownDeployment } from './own-deployment.ts';
import { siteBody } from './page-html.ts';
import { placeOf } from './place-of.ts';

const tooComplex = errorKind(
  { id: 'TooComplex', description: 'The page takes too much time or memory to be read as HTML.' },
  (file: string) =>
    new HttpError(
      422,
      `${literal(file)} is too complex to be checked: close each element before the one that it is in, or send a part of it.`,
    ),
  'The page',
);

const answer = { description: 'The forms of the page, and their problems.', schema: CheckedPage };

const { maxFields } = SIZES.submission;

type Call = { owner: Owner; response: Response };

/** The turns that one check has in the thread: others have theirs between them. All together may take as long as one job. */
class CheckTurns {
  readonly #app: App;
  readonly #owner: Owner;
  #waitedMs = 0;
  #usedMs = 0;

  constructor(app: App, { owner }: Call) {
    this.#app = app;
    this.#owner = owner;
  }

  /**
   * Reads a file once the thread is free for the owner, and has work done on it: files that wait take no memory. undefined when it
   * takes too much.
   */
  async run<T>(
    read: () => Promise<Buffer>,
    work: (thread: Thread, file: Buffer) => Promise<T>,
  ): Promise<T | undefined> {
    const { checkWaitTimeoutMs, jobTimeoutMs } = this.#app.limits.compute;
    if (this.#usedMs > jobTimeoutMs) return undefined;
    const askedAt = performance.now();
    try {
      return await this.#app.compute.checks.run(this.#owner.id, checkWaitTimeoutMs - this.#waitedMs, async (thread) => {
        this.#waitedMs += performance.now() - askedAt;
        const file = await read();
        const beganAt = performance.now();
        return work(thread, file).finally(() => {
          this.#usedMs += performance.now() - beganAt;
        });
      });
    } catch (error) {
      if (error instanceof OverLimitError) return undefined;
      throw error;
    }
  }
}

type Page = { id: string; slug: string };

/** The answer of a check: of one page, or joined of the HTML files of a site. */
class JoinedCheck {
  #head: Pick<CheckedFile, 'title' | 'lang'> | undefined;
  readonly #forms: string[] = [];
  #formCount = 0;
  #formChars = 0;
  readonly problems: Problem[] = [];
  readonly #counts = new Map<Problem['code'], number>();
  /** The problem of each file without a form. */
  readonly #formless: Problem[] = [];
  readonly #toolless: (Toolless & { path: string | undefined })[] = [];
  #files = 0;

  /** The number of further forms that the answer may have. */
  get maxForms(): number {
    return SIZES.check.maxForms - this.#formCount;
  }

  /** The number of further characters that its forms may have. */
  get maxFormChars(): number {
    return SIZES.check.maxFormChars - this.#formChars;
  }

  /** `path`: of a file of a site. The first file has the title and the language. */
  add({ title, lang, forms, formCount, problems, toolless }: CheckedFile, path: string | undefined): void {
    this.#files += 1;
    this.#head ??= { title, lang };
    if (formCount > 0) this.#forms.push(Buffer.from(forms).toString());
    this.#formCount += formCount;
    this.#formChars += forms.length;
    if (toolless.count > 0) this.#toolless.push({ ...toolless, path });
    this.addProblems(problems, path);
  }

  addProblems(problems: readonly Problem[], path: string | undefined): void {
    for (const found of problems) {
      const problem = path === undefined ? found : { ...found, file: path };
      const count = this.#counts.get(found.code) ?? 0;
      if (found.code === 'no-form') this.#formless.push(problem);
      else if (count < SIZES.check.maxProblemsPerCode) {
        this.#counts.set(found.code, count + 1);
        this.problems.push(problem);
      }
    }
  }

  /** A hint at forms that could be tools of agents in browsers; undefined: there are none, or they have to be corrected first. */
  get hint(): string | undefined {
    const [first] = this.#toolless;
    if (!first || this.problems.some(({ severity }) => severity === 'error')) return undefined;
    const count = this.#toolless.reduce((sum, one) => sum + one.count, 0);
    const forms = count === 1 ? 'the form' : `${count} forms, the first`;
    const file = first.path === undefined ? '' : ` of ${literal(encodeURI(first.path))}`;
    return `Agents in browsers can have ${forms} in line ${first.line}${file} as a tool: write toolname and tooldescription into its tag, or {send} {form_tools} true in the settings of the page`;
  }

  /** undefined: no file was added. */
  toJson(): JsonPieces | undefined {
    if (!this.#head) return undefined;
    // A site needs one form, and not one on each page.
    const formless = this.#formless.length === this.#files ? this.#formless.slice(0, 1) : [];
    const head = JSON.stringify(this.#head).slice(0, -1);
    const problems = JSON.stringify([...formless, ...this.problems]);
    return jsonText(`${head},"forms":[${this.#forms.join(',')}],"problems":${problems}}`);
  }
}

type Settings = { captcha?: CaptchaProvider | undefined; hasAllowedOrigins?: boolean };
type ScriptChecks = ReadonlyMap<string, CheckedScript>;

/** Checks HTML files one after the other; throws 422. */
async function checkFiles(
  turns: CheckTurns,
  { addresses, scripts, ...settings }: Settings & { addresses: Addresses; scripts?: ScriptChecks },
  files: readonly HtmlFile[],
): Promise<JoinedCheck> {
  const joined = new JoinedCheck();
  const facts = scripts && new Map(Array.from(scripts, ([path, script]) => [path, script.facts]));
  for (const { read, site } of files) {
    const { maxForms, maxFormChars } = joined;
    const limits = { maxFields, maxForms, maxFormChars };
    const input = { addresses: { ...addresses, site }, ...limits, ...settings, scripts: facts };
    const checked = await turns.run(read, (thread, html) => thread.run('checkPage', { html, ...input }));
    if (!checked) throw tooComplex(site ? `The file ${shownPath(site.path)}` : 'The page');
    joined.add(checked, site?.path);
  }
  return joined;
}

/** Checks the scripts of a site. One that takes too much is left out: it may be a library. */
async function checkScripts(turns: CheckTurns, addresses: Addresses, page: WholePage): Promise<ScriptChecks> {
  const scripts = new Map<string, CheckedScript>();
  for (const file of page.files) {
    if (!isScriptPath(file.path)) continue;
    const read = () => readWhole(page, file);
    const checked = await turns.run(read, (thread, text) => thread.run('checkScript', { text, addresses }));
    if (checked) scripts.set(file.path, checked);
  }
  return scripts;
}

/** The problems of files in which the placeholder is not replaced, because they are too large. */
async function problemOfLarge(page: WholePage, file: SiteFile, maxHtmlBytes: number): Promise<Problem[]> {
  if (!isTextPath(file.path) || isHtmlPath(file.path) || isReplacedIn(file, maxHtmlBytes)) return [];
  const place = await placeOf(PLACEHOLDER, page.pieces(file));
  const message = `Nothing replaces ${PLACEHOLDER} in this file, because it is larger than ${maxHtmlBytes} bytes: divide it into smaller files.`;
  return place ? [{ code: 'placeholder-misspelt', severity: 'error', message, ...place }] : [];
}

/** Checks a page with all of its files. Its waiting time and its time in the thread are bounded on their own. */
const checkWhole = (...[app, call, ...page]: Parameters<typeof checkInTurns>): Promise<JoinedCheck> => {
  const resumeDeadline = pauseDeadline(call.response);
  return checkInTurns(app, call, ...page).finally(resumeDeadline);
};

async function checkInTurns(
  app: App,
  call: Call,
  page: WholePage,
  { addresses, ...settings }: Settings & { addresses: Addresses },
): Promise<JoinedCheck> {
  const turns = new CheckTurns(app, call);
  const scripts = await checkScripts(turns, addresses, page);
  const joined = await checkFiles(turns, { addresses, scripts, ...settings }, htmlFilesOf(page));
  for (const file of page.files) {
    joined.addProblems(scripts.get(file.path)?.problems ?? [], file.path);
    joined.addProblems(await problemOfLarge(page, file, app.config.maxHtmlBytes), file.path);
  }
  return joined;
}

async function checkLive(
  app: App,
  call: Call,
  { id, slug }: Page,
  { captcha, allowedOrigins }: Pick<FormRules, 'captcha' | 'allowedOrigins'>,
): Promise<JoinedCheck> {
  const page = foundOr404(await findLivePage(app.db, app.files.openSiteFile, call.owner.id, id));
  return checkWhole(app, call, page, {
    addresses: app.requests.hosts.addressesFor({ id, slug }),
    captcha: captcha?.provider,
    hasAllowedOrigins: allowedOrigins.length > 0 && !allowedOrigins.includes('null'),
  });
}

/** A page that was sent to be checked. */
const toWholePage = (html: string, sent: SentFiles | undefined): WholePage => ({
  html: Buffer.from(html),
  files: sent?.list ?? [],
  paths: sent && [INDEX, ...sent.list.map(({ path }) => path)],
  async *pieces({ path }) {
    if (sent) yield await sent.read(path);
  },
});

/** The forms of a live page that lack the widget of a captcha; none when that can't be said now. */
export async function captchaMissing(app: App, call: Call, page: Page, captcha: CaptchaProvider): Promise<Problem[]> {
  const rules = { captcha: { provider: captcha }, allowedOrigins: [] };
  const checked = checkLive(app, call, page, rules).catch(() => undefined);
  // The settings are stored: what is only told besides fails nothing, and is not waited for.
  const late = delay(app.limits.compute.noticeTimeoutMs, undefined, { ref: false });
  return (await Promise.race([checked, late]))?.problems.filter(({ code }) => code === 'captcha-missing') ?? [];
}

const checkOperation = operation('POST', '/check', 'checkHtml', {
  scope: 'publish',
  noAudit: 'It stores nothing.',
  tool: {
    name: 'check_html',
    description: 'The forms of a page, their fields, and what keeps them from working. Publishes nothing.',
    hints: READS,
  },
  noCommand: '`formhost check` calls it with a file.',
  summary: 'Check the forms of a page before it is published',
  description:
    'Reads HTML as browsers do, and returns its forms, their fields with labels, and what keeps them from arriving. It stores ' +
    'nothing, and runs no scripts: where one may send a form, its attributes are no problem. The body is one that `POST /deploy` takes ' +
    'as a page or a site: of a site, all HTML files and scripts are read, and a problem has its `file`.',
  body: siteBody,
  answer,
  errors: [tooComplex],
  async handle({ body: { html, files: sent }, notify, ...call }, app) {
    if (sent) checkLimits([{ path: INDEX, bytes: Buffer.byteLength(html) }, ...sent.list], app.config);
    const addresses = app.requests.hosts.addressesFor();
    const checked = await checkWhole(app, call, toWholePage(html, sent), { addresses });
    if (checked.hint !== undefined) notify(checked.hint);
    return foundOr404(checked.toJson());
  },
});

const checkLiveOperation = operation('GET', '/deploy/:id/check', 'checkDeployment', {
  scope: 'any',
  guests: 'editor',
  command: {
    usage: 'page check <id>',
    text: 'Find what keeps the forms of a live page from arriving',
    help: ['The exit code is 1 if there is an error. Files that are not published yet: formhost check.'],
    table: {
      columns: ['FILE', 'LINE', 'COLUMN', 'SEVERITY', 'CODE', 'MESSAGE'],
      rows: ({ problems }) =>
        problems.map(({ file = null, line, column, severity, code, message }) => {
          return [file, line, column, severity, code, message];
        }),
    },
    isFailure: ({ problems }) => problems.some(({ severity }) => severity === 'error'),
  },
  summary: 'Check the forms of a live page',
  description:
    'Returns the same as `POST /check`, for the live page; of a site, for all of its HTML files, index.html first, and then its ' +
    'scripts. `captcha-missing`: a form lacks the widget of the captcha that the ' +
    'settings switch on, and the service does not add it. `origin-hidden`: the page hides its origin, and the settings have ' +
    '`allowed_origins`.',
  find: (owner, { id }, app) => ownDeployment(app.db, owner, id),
  answer: { ...answer, headers: NOTICE_HEADER },
  errors: [tooComplex],
  async handle({ owner, response, resource, notify }, app) {
    const rules = await rulesOf(app.db, resource.id);
    const checked = await checkLive(app, { owner, response }, resource, rules);
    const { hasFormTools } = await findAdditions(app.db, resource.id);
    if (checked.hint !== undefined && !hasFormTools) notify(checked.hint);
    return foundOr404(checked.toJson());
  },
});

/** The form check: what a page's forms send, and what keeps it from arriving. */
export const checkOperations = [checkOperation, checkLiveOperation];

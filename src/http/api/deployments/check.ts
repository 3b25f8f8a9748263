import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { type Addresses, type CheckedFile, CheckedPage, ofSite, type Problem } from '../../../compute/check/answer.ts';
import { OverLimitError, type Thread } from '../../../compute/thread.ts';
import type { Owner } from '../../../db/account/owners.ts';
import { type HtmlFile, readHtmlFiles } from '../../../db/deployments/html-files.ts';
import { rulesOf } from '../../../db/submissions/forms.ts';
import type { CaptchaProvider } from '../../../lib/captcha-fields.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { type JsonPieces, jsonText } from '../../request/declaration.ts';
import { endpoint } from '../../request/endpoint.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { foundOr404, ownDeployment } from './own-deployment.ts';
import { pageBody } from './page-html.ts';

const tooComplex = errorKind(
  { id: 'TooComplex', description: 'The page takes too much time or memory to be read as HTML.' },
  () =>
    new HttpError(
      422,
      'The page is too complex to be checked: close its elements in the order in which they are opened, or send a part of it.',
    ),
);

const answer = { description: 'The forms of the page, and their problems.', schema: CheckedPage };

const { maxFields } = SIZES.submission;

type Call = { owner: Owner; response: Response };

/** Runs a check of a page in the thread once that is free for the owner; undefined when it takes too much. */
function inThread<T>(
  { checks, limits }: App,
  { owner, response }: Call,
  work: (thread: Thread) => Promise<T>,
): Promise<T | undefined> {
  // The waiting time and the time of a job are bounded on their own.
  const resumeDeadline = pauseDeadline(response);
  return checks
    .run(owner.id, limits.compute.checkWaitTimeoutMs, work)
    .catch((error) => {
      if (error instanceof OverLimitError) return undefined;
      throw error;
    })
    .finally(resumeDeadline);
}

type Page = { id: string; slug: string };

/** The HTML files of a live deployment. All together may take as long as one page. */
async function* htmlFilesOf({ db, limits, openSiteFile }: App, owner: Owner, id: string): AsyncGenerator<HtmlFile> {
  const startedAt = performance.now();
  for await (const file of readHtmlFiles(db, openSiteFile, owner.id, id)) {
    yield file;
    if (performance.now() - startedAt > limits.compute.jobTimeoutMs)
      throw new OverLimitError('The site took too long.');
  }
}

/** The answer of a check: of one page, or joined of the HTML files of a site. */
class JoinedCheck {
  #head: Pick<CheckedFile, 'title' | 'lang'> | undefined;
  readonly #forms: string[] = [];
  #formCount = 0;
  readonly problems: Problem[] = [];
  /** Of each file without a form. */
  readonly #formless: Problem[] = [];
  #files = 0;

  /** How many more forms the answer may have. */
  get maxForms(): number {
    return SIZES.check.maxForms - this.#formCount;
  }

  /** `path`: of a file of a site. The first file has the title and the language. */
  add({ title, lang, forms, formCount, problems }: CheckedFile, path: string | undefined): void {
    this.#files += 1;
    this.#head ??= { title, lang };
    if (formCount > 0) this.#forms.push(Buffer.from(forms).toString());
    this.#formCount += formCount;
    for (const found of problems) {
      const problem = path === undefined ? found : { ...found, file: path };
      const ofCode = this.problems.filter(({ code }) => code === found.code).length;
      if (found.code === 'no-form') this.#formless.push(problem);
      else if (ofCode < SIZES.check.maxProblemsPerCode) this.problems.push(problem);
    }
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

/** Checks HTML files one after the other; throws 422. */
async function checkFiles(
  app: App,
  call: Call,
  { addresses, captcha }: { addresses: Addresses; captcha?: CaptchaProvider | undefined },
  files: AsyncIterable<HtmlFile> | Iterable<HtmlFile>,
): Promise<JoinedCheck> {
  const joined = new JoinedCheck();
  const isChecked = await inThread(app, call, async (thread) => {
    for await (const file of files) {
      const { maxForms } = joined;
      const input = { html: file.html, addresses: ofSite(addresses, file.site), maxFields, maxForms, captcha };
      const checked = await thread.run('checkPage', input);
      if (!checked) return false;
      joined.add(checked, file.site?.path);
    }
    return true;
  });
  if (!isChecked) throw tooComplex();
  return joined;
}

/** Checks a live page. */
const checkLive = (app: App, call: Call, page: Page, captcha: CaptchaProvider | undefined): Promise<JoinedCheck> =>
  checkFiles(app, call, { addresses: app.hosts.addressesFor(page), captcha }, htmlFilesOf(app, call.owner, page.id));

/** The forms of a live page that lack the widget of a captcha; none when that can't be said now. */
export async function captchaMissing(app: App, call: Call, page: Page, captcha: CaptchaProvider): Promise<Problem[]> {
  const checked = checkLive(app, call, page, captcha).catch(() => undefined);
  // The settings are stored: what is only told besides fails nothing, and is not waited for.
  const late = delay(app.limits.compute.noticeTimeoutMs, undefined, { ref: false });
  return (await Promise.race([checked, late]))?.problems.filter(({ code }) => code === 'captcha-missing') ?? [];
}

const checkEndpoint = (app: App) =>
  endpoint('POST', '/check', 'checkHtml', {
    summary: 'Check the forms of a page before it is published',
    description:
      'Reads HTML as browsers do, and returns its forms, their fields with labels, and what keeps them from arriving. It stores ' +
      'nothing, and runs no scripts: where one may send a form, its attributes are no problem. The body is JSON, or the page itself ' +
      'as `text/html`.',
    body: pageBody(app.config),
    answer,
    errors: [tooComplex],
    async handle({ body: { html }, ...call }) {
      const files = [{ html: Buffer.from(html), site: undefined }];
      return foundOr404((await checkFiles(app, call, { addresses: app.hosts.addressesFor() }, files)).toJson());
    },
  });

const checkLiveEndpoint = (app: App) =>
  endpoint('GET', '/deploy/:id/check', 'checkDeployment', {
    summary: 'Check the forms of a live page',
    description:
      'Returns the same as `POST /check`, for the live page; of a site, for all of its HTML files, index.html first. `captcha-missing`: a form lacks the widget of the captcha that the ' +
      'settings switch on, and the service does not add it.',
    find: (owner, { id }) => ownDeployment(app.db, owner, id),
    answer,
    errors: [tooComplex],
    async handle({ owner, response, resource }) {
      const { captcha } = await rulesOf(app.db, resource.id);
      return foundOr404((await checkLive(app, { owner, response }, resource, captcha?.provider)).toJson());
    },
  });

/** The form check: what a page's forms send, and what keeps it from arriving. */
export const checkEndpoints = (app: App) => [checkEndpoint(app), checkLiveEndpoint(app)];

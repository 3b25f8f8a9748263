import { parentPort, workerData } from 'node:worker_threads';
import type { PageForm } from '../forms/forms-of-page.ts';
import type { CheckedFile, CheckedScript, CheckInput, FormAdditions, FormsInput, ScriptInput } from './check/answer.ts';
import { type MembersInput, type ReadMembers, readMembers } from './read-members.ts';
import { type RenderedPage, type RenderInput, renderPage } from './render-page.ts';

/*
 * The code that runs in the thread. The main thread imports this file too, for its address.
 */

/** The tasks of the thread, each with its input and its result. */
type Tasks = {
  /** `note`: HTML that is put before all else in its body. */
  renderPage: [input: RenderInput & { note?: string | undefined }, RenderedPage];
  /** The page with what is added to its forms; undefined: the page is too complex to be read. */
  addToForms: [input: { html: Uint8Array; additions: FormAdditions }, Uint8Array | undefined];
  readMembers: [MembersInput, ReadMembers];
  /** Loads what the tasks below need. */
  loadCheck: [undefined, undefined];
  /** The forms of a page and what is wrong with them; undefined: the page is too complex to be read. */
  checkPage: [CheckInput, CheckedFile | undefined];
  /** Where a script of a site sends, and what is wrong with it. */
  checkScript: [ScriptInput, CheckedScript];
  /** The forms of a page by their names; undefined: the page is too complex to be read. */
  readForms: [FormsInput, PageForm[] | undefined];
};
export type TaskName = keyof Tasks;
export type InputOf<Name extends TaskName> = Tasks[Name][0];
export type ResultOf<Name extends TaskName> = Tasks[Name][1];
type Job<Name extends TaskName> = { task: Name; input: InputOf<Name> };

export const WORKER_URL = new URL(import.meta.url);
/** The `workerData` of the thread that runs jobs. */
export const WORKER_ROLE = 'formhost compute';

/** The part of the thread that has an HTML parser, loaded on demand. */
const loadCheck = () => import('./check/check-page.ts');
const loadScriptCheck = () => import('./check/script-problems.ts');

const TASKS: { [Name in TaskName]: (input: InputOf<Name>) => ResultOf<Name> | Promise<ResultOf<Name>> } = {
  readMembers,
  async renderPage({ note, ...page }) {
    const html = note === undefined ? page.html : (await loadCheck()).addToBody(page.html, note);
    return renderPage({ ...page, html });
  },
  async addToForms({ html, additions }) {
    return (await loadCheck()).addToForms(html, additions);
  },
  async loadCheck() {
    await Promise.all([loadCheck(), loadScriptCheck()]);
    return undefined;
  },
  async checkScript(input) {
    return (await loadScriptCheck()).checkScript(input);
  },
  async checkPage(input) {
    const checked = (await loadCheck()).checkPage(input);
    if (!checked) return undefined;
    const forms = new TextEncoder().encode(JSON.stringify(checked.forms).slice(1, -1));
    return { ...checked, forms, formCount: checked.forms.length };
  },
  async readForms(input) {
    return (await loadCheck()).formsOf(input);
  },
};

const perform = <Name extends TaskName>({ task, input }: Job<Name>) => TASKS[task](input);

if (workerData === WORKER_ROLE) {
  // An exception ends the thread, and fails the job.
  parentPort?.on('message', async (job: Job<TaskName>) => parentPort?.postMessage(await perform(job)));
}

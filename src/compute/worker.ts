import { parentPort, workerData } from 'node:worker_threads';
import type { CheckInput, LabelsInput, WidgetInput } from './check/answer.ts';
import { type MembersInput, readMembers } from './read-members.ts';
import { type RenderInput, renderPage } from './render-page.ts';

/*
 * What runs in the thread. The main thread imports this file too, for its address.
 */

export type Job =
  | { task: 'renderPage'; input: RenderInput & { widget?: WidgetInput | undefined } }
  | { task: 'readMembers'; input: MembersInput }
  | { task: 'checkPage'; input: CheckInput }
  | { task: 'checkCaptcha'; input: CheckInput }
  | { task: 'readLabels'; input: LabelsInput };

export const WORKER_URL = new URL(import.meta.url);
/** The `workerData` of the thread that runs jobs. */
export const WORKER_ROLE = 'formhost compute';

/** Bytes that have their buffer to themselves, as a transfer to another thread needs; a part of a buffer is copied. */
export function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** The part of the thread that has an HTML parser, loaded on demand. */
const loadCheck = () => import('./check/check-page.ts');

async function perform({ task, input }: Job): Promise<{ result: unknown; transfer: ArrayBuffer[] }> {
  if (task === 'readMembers') return { result: readMembers(input), transfer: [] };
  if (task === 'readLabels') return { result: (await loadCheck()).labelsOf(input), transfer: [] };
  if (task === 'checkCaptcha') {
    const problems = (await loadCheck()).checkPage(input)?.problems ?? [];
    return { result: problems.filter(({ code }) => code === 'captcha-missing'), transfer: [] };
  }
  if (task === 'checkPage') {
    const checked = (await loadCheck()).checkPage(input);
    if (!checked) return { result: undefined, transfer: [] };
    const json = new TextEncoder().encode(JSON.stringify(checked));
    return { result: json, transfer: [json.buffer] };
  }
  const html = input.widget ? (await loadCheck()).addWidgets(input.html, input.widget) : input.html;
  const page = renderPage({ ...input, html });
  const br = transferable(page.br);
  return { result: { ...page, br }, transfer: [br.buffer] };
}

if (workerData === WORKER_ROLE) {
  // An exception ends the thread, and fails the job.
  parentPort?.on('message', async (job: Job) => {
    const { result, transfer } = await perform(job);
    parentPort?.postMessage(result, transfer);
  });
}

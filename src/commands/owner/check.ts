import { countOf, showProblems } from './findings.ts';
import { printAnswer, printLine, say } from './output.ts';
import { readPage, STANDARD_INPUT } from './page-file.ts';
import type { Service } from './service.ts';

/** The type of a body that is the page itself. */
export const HTML = { headers: { 'Content-Type': 'text/html' }, bodySerializer: (page: Buffer): Buffer => page };

/** Looks for what would keep forms of a page from arriving. Exit code 1: there is such an error. */
export async function check(
  { api, answer }: Service,
  file: string,
  { json }: { json?: true | undefined },
): Promise<void> {
  const page = await readPage(file);
  const { data, text } = await answer(
    api.POST('/check', { body: page.toString(), ...HTML, bodySerializer: () => page }),
  );
  const name = file === STANDARD_INPUT ? 'stdin' : file;
  if (json) await printAnswer(text);
  else for (const line of showProblems(name, data.problems, process.stdout)) await printLine(line);
  if (!json) say(`${countOf(data.forms.length, 'form')}, ${countOf(data.problems.length, 'problem')}`);
  if (data.problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
}

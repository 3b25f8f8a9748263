import { countOf, type Output, printAnswer, printLine, say } from '../output.ts';
import { bodyOf, pageFileOf, readPage, showProblems } from './page-file.ts';
import type { Service } from './service.ts';

/** Looks for what would keep forms of a page from arriving. Exit code 1: there is such an error. */
export async function check(service: Service, given: string, { json }: Output): Promise<void> {
  const file = await pageFileOf(given);
  const { data, text } = await service.answer(service.api.POST('/check', bodyOf(await readPage(file))));
  if (json) await printAnswer(text);
  else {
    for (const line of showProblems(file, data.problems, process.stdout)) await printLine(line);
    say(`${countOf(data.forms.length, 'form')}, ${countOf(data.problems.length, 'problem')}`);
  }
  if (data.problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
}

import type { Command } from '@commander-js/extra-typings';
import { declare } from '../declare.ts';
import { countOf, printAnswer, printLine, say } from '../output.ts';
import type { Connect } from './api-requests.ts';
import { bodyOf, readPage, showProblems } from './page-file.ts';

/** Looks for what would keep forms of a page from arriving. Exit code 1: there is such an error. */
export const declareCheck = (program: Command, connect: Connect): unknown =>
  declare(
    program,
    'check',
    "Find what would keep a page's forms from arriving",
    'The exit code is 1 if there is an error.',
    '$ check contact.html',
    '$ check - --json < contact.html',
  )
    .argument('<file>', 'an HTML file, or - for standard input')
    .action(async (file, { json }) => {
      const service = await connect({ html: 'the page' });
      const { data, text } = await service.answer(service.api.POST('/check', bodyOf(await readPage(file))));
      if (json) await printAnswer(text);
      else {
        for (const line of showProblems(file, data.problems, process.stdout)) await printLine(line);
        say(`${countOf(data.forms.length, 'form')}, ${countOf(data.problems.length, 'problem')}`);
      }
      if (data.problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });

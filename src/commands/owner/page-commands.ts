import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { agrees, countOf, isTerminal, printAnswer, printable, printLine, printOutcome, say } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';

/** The program that opens an address, without a shell in between. */
function openerOf(url: string): [program: string, ...args: string[]] {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}

/** Prints the address of a page, and opens it on a terminal. */
export const declareOpen = (program: Command, connect: Connect): unknown =>
  forPage(program, 'open', 'Print the address of a page; on a terminal, open it in a browser', '$ open contact').action(
    async (name, { json }) => {
      const { service, id } = await connectToPage(connect, name);
      const { data, text } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } } }));
      if (json) return await printAnswer(text);
      await printLine(printable(data.url));
      const address = URL.parse(data.url);
      if (!isTerminal() || !address || !/^https?:$/.test(address.protocol)) return;
      const [opener, ...args] = openerOf(address.href);
      const child = spawn(opener, args, { stdio: 'ignore', detached: true });
      try {
        await once(child, 'spawn');
        child.unref();
      } catch {
        say(`there is no ${opener} to open it with: open the address yourself`);
      }
    },
  );

/** Renames a page: gives it another slug, and so another address. */
export const declareRename = (program: Command, connect: Connect): unknown =>
  forPage(
    program,
    'rename',
    'Give a page another slug; its old address leads to the new one for 30 days',
    '$ rename contact write-to-us',
  )
    .argument('<slug>', 'the new one')
    .action(async (name, slug, output) => {
      const { service, id } = await connectToPage(connect, name);
      const path = { params: { path: { id } } };
      const { text } = await service.answer(service.api.PATCH('/deploy/{id}', { ...path, body: { slug } }));
      if (output.json) return await printAnswer(text);
      const { data } = await service.answer(service.api.GET('/deploy/{id}', path));
      await printLine(printable(data.url));
    });

/** Takes a page offline; its submissions are kept. */
export const declareRemove = (program: Command, connect: Connect): unknown =>
  forPage(program, 'delete', 'Take a page offline, and move it to the trash', '$ delete contact --yes')
    .option('--yes', 'do not ask')
    .action(async (name, { yes, ...output }) => {
      const { service, id } = await connectToPage(connect, name);
      const path = { params: { path: { id } } };
      if (!yes) {
        const { data } = await service.answer(service.api.GET('/deploy/{id}', path));
        const what = `${printable(data.url)} (${printable(data.id)}) with ${countOf(data.submission_count, 'submission')}`;
        if (!(await agrees(`Delete ${what}?`, '--yes'))) {
          say('nothing was deleted');
          process.exitCode = 1;
          return;
        }
      }
      const { text } = await service.answer(service.api.DELETE('/deploy/{id}', path));
      const message = `deleted: formhost trash restore ${id} brings it back, with its submissions`;
      await printOutcome(text, id, message, output);
    });

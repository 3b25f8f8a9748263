import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { CommandError, messageOf } from '../command-error.ts';
import { declare, forPage } from '../declare.ts';
import {
  agrees,
  countOf,
  isTerminal,
  printAnswer,
  printable,
  printLine,
  printList,
  printOutcome,
  say,
} from '../output.ts';
import { replaceFile } from '../write-file.ts';
import { PAGE_OF_FOLDER } from './page-file.ts';
import { rememberPage } from './page-ids.ts';
import { type Connect, connectToPage, listDeployments } from './service.ts';

/** Lists the live pages, newest first. */
export const declareList = (program: Command, connect: Connect): unknown =>
  declare(program, 'list', 'List your pages', '$ list', '$ list | cut -f1').action(async (output) =>
    printList(
      listDeployments(await connect()),
      ['ID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL'],
      ({ deployments }) =>
        deployments.map((page) => [page.id, page.slug, page.submission_count, page.updated_at, page.url]),
      output,
    ),
  );

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

/** Writes the HTML of a page to `index.html` in a folder, from where `deploy` updates the page. */
export const declarePull = (program: Command, connect: Connect): unknown =>
  forPage(
    program,
    'pull',
    'Write the HTML of a page to index.html, for deploy',
    '$ pull contact',
    '$ deploy contact/index.html',
  )
    .argument('[folder]', 'where index.html is written (a folder with the name of the slug)')
    .option('--force', 'replace the file that is there')
    .action(async (name, folder, { json, force }) => {
      const { service, id } = await connectToPage(connect, name);
      const path = { params: { path: { id } } };
      const { data: page } = await service.answer(service.api.GET('/deploy/{id}', path));
      const { data } = await service.answer(service.api.GET('/deploy/{id}/html', path));
      const target = folder ?? page.slug;
      const file = join(target, PAGE_OF_FOLDER);
      if (!force && (await fs.stat(file).catch(() => undefined))) {
        throw new CommandError(`${file} exists already: add --force to replace it, or name another folder`);
      }
      await fs.mkdir(target, { recursive: true }).catch((error: unknown) => {
        throw new CommandError(`${target} cannot be made: ${messageOf(error)}`);
      });
      await replaceFile(file, (out) => out.writeFile(data.html));
      await rememberPage(service.url, file, id);
      await printLine(json ? JSON.stringify({ id, file }) : printable(file));
      // The folder as a whole would replace the other files of a site.
      say(`formhost deploy ${file} updates ${page.slug} (${id})`);
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

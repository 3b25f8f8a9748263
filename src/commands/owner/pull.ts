import fs from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, messageOf } from '../command-error.ts';
import { type Output, printable, printLine, say } from '../output.ts';
import { replaceFile } from '../write-file.ts';
import { PAGE_OF_FOLDER } from './page-file.ts';
import { rememberPage } from './page-ids.ts';
import type { Service } from './service.ts';

export type PullOptions = Output & { force?: true | undefined };

/** Writes the HTML of a page to `index.html` in a folder, from where `deploy` updates the page. */
export async function pull(
  service: Service,
  id: string,
  folder: string | undefined,
  { json, force }: PullOptions,
): Promise<void> {
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
  say(`formhost deploy ${target} updates ${page.slug} (${id})`);
}

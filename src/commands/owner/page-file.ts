import fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Schemas } from '../../client/client.ts';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { printable, styled } from '../output.ts';

/** The name of standard input in place of a file. */
export const STANDARD_INPUT = '-';

export const FILE_ARGUMENT = 'an HTML file, a folder with index.html alone, or - for standard input';

/** The file of a folder that is its page. */
export const PAGE_OF_FOLDER = 'index.html';

/** The file that is meant: this one, or the page in this folder. Throws a CommandError for a folder that has more. */
export async function pageFileOf(file: string): Promise<string> {
  const names = await fs.readdir(file).catch(() => undefined);
  if (file === STANDARD_INPUT || !names) return file;
  if (!names.includes(PAGE_OF_FOLDER)) throw new CommandError(`${file} has no ${PAGE_OF_FOLDER}: name a file`);
  // Names with a dot belong to editors, to git, or to this program.
  const [other] = names.filter((name) => name !== PAGE_OF_FOLDER && !name.startsWith('.')).toSorted();
  if (other === undefined) return join(file, PAGE_OF_FOLDER);
  throw new CommandError(
    `${file} has more than ${PAGE_OF_FOLDER}, such as ${other}: sites with files are not hosted yet, so name the page's file`,
  );
}

/** The bytes of a page, which the service takes as they are. */
export async function readPage(file: string): Promise<Buffer> {
  if (file === STANDARD_INPUT) return Buffer.concat(await process.stdin.toArray());
  return await fs.readFile(file).catch((error: unknown) => {
    throw new CommandError(
      hasCode(error, /^ENOENT$/) ? `there is no file ${file}` : `${file} cannot be read: ${messageOf(error)}`,
    );
  });
}

/** A body of a request that is a page itself. */
export const bodyOf = (page: Buffer) => ({
  body: page.toString(),
  headers: { 'Content-Type': 'text/html' },
  bodySerializer: (): Buffer => page,
});

/** Problems of a page as compilers write them: file, line, column, what it is. */
export const showProblems = (
  file: string,
  problems: readonly Schemas['Problem'][],
  stream: NodeJS.WriteStream,
): string[] =>
  problems.map(({ file: siteFile, line, column, severity, code, message }) => {
    const kind = styled(severity === 'error' ? 'red' : 'yellow', severity, stream);
    const name = siteFile ?? (file === STANDARD_INPUT ? 'stdin' : file);
    return `${printable(name)}:${line}:${column} ${kind} ${printable(code)}: ${printable(message)}`;
  });

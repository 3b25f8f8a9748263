import fs from 'node:fs/promises';
import type { Schemas } from '../../client/client.ts';
import { CommandError, fileError, hasCode } from '../command-error.ts';
import { printable, styled } from '../output.ts';

/** The name of standard input in place of a file. */
export const STANDARD_INPUT = '-';

/** The file of a folder that is its page. */
export const PAGE_OF_FOLDER = 'index.html';

/** The bytes of a page, or of another file of a site, which the service takes as they are. */
export async function readPage(file: string): Promise<Buffer> {
  if (file === STANDARD_INPUT) return Buffer.concat(await process.stdin.toArray());
  return await fs.readFile(file).catch((error: unknown) => {
    if (hasCode(error, /^ENOENT$/)) throw new CommandError(`there is no file ${file}`);
    if (hasCode(error, /^EISDIR$/)) {
      throw new CommandError(`${file} is a folder: name one of its HTML files. formhost deploy checks all of them`);
    }
    throw fileError(`${file} cannot be read`, error);
  });
}

/** A body of a request that is a page or a site itself. */
export const bodyOf = (body: Buffer, type: 'text/html' | 'application/zip' = 'text/html') => ({
  body,
  headers: { 'Content-Type': type },
});

/** Problems of a page as compilers write them: file, line, column, what it is. */
export const showProblems = (
  file: string,
  problems: readonly Schemas['FormProblem'][],
  stream: NodeJS.WriteStream,
): string[] =>
  problems.map(({ file: siteFile, line, column, severity, code, message }) => {
    const kind = styled(severity === 'error' ? 'red' : 'yellow', severity, stream);
    const name = siteFile ?? (file === STANDARD_INPUT ? 'stdin' : file);
    return `${printable(name)}:${line}:${column} ${kind} ${printable(code)}: ${printable(message)}`;
  });

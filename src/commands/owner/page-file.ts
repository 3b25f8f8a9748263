import fs from 'node:fs/promises';
import type { Schemas } from '../../client/client.ts';
import { CommandError, hasCode, messageOf } from '../command-error.ts';
import { printable, styled } from '../output.ts';

/** The name of standard input in place of a file. */
export const STANDARD_INPUT = '-';

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
  problems.map(({ line, column, severity, code, message }) => {
    const kind = styled(severity === 'error' ? 'red' : 'yellow', severity, stream);
    const name = file === STANDARD_INPUT ? 'stdin' : file;
    return `${printable(name)}:${line}:${column} ${kind} ${printable(code)}: ${printable(message)}`;
  });

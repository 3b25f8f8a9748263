import fs from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandError, hasCode, messageOf } from '../command-error.ts';

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

/** All of standard input, as text. */
export const readStandardInput = (): Promise<string> => text(process.stdin);

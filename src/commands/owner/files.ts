import { CommandError, UsageError } from '../command-error.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { isTerminal, type Output, print, printLine } from '../output.ts';
import { saveTo } from './export.ts';
import { untilInterrupted } from './interrupt.ts';
import type { Service } from './service.ts';

/** The path of a file: its `url` in a submission, or the same with the address of this service. Throws a CommandError. */
function pathOf(service: Service, url: string): string {
  const address = URL.parse(url, service.url);
  if (address?.origin === service.url && /^\/submissions\/[^/]+\/[^/]+\/files\/[^/]+$/.test(address.pathname)) {
    return address.pathname;
  }
  throw new CommandError(`${url} is not a file at ${service.url}: give the url that a submission has for it`);
}

/** Writes a file of a submission to a file, or to standard output. */
export const getFile = (
  service: Service,
  url: string,
  { json, output }: Output & { output?: string | undefined },
): Promise<void> =>
  untilInterrupted(async (signal) => {
    const isPrinted = output === undefined || output === '-';
    if (isPrinted && (json || isTerminal())) throw new UsageError('a file is not printed here: add --output FILE');
    const pieces = await service.open(pathOf(service, url), {
      type: '',
      signal,
      idleMs: COMMAND_LIMITS.exports.idleTimeoutMs,
    });
    if (isPrinted) {
      for await (const piece of pieces) await print(piece);
      return;
    }
    await saveTo(output, pieces);
    if (json) await printLine(JSON.stringify({ file: output }));
  });

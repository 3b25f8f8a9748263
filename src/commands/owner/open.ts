import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isTerminal, type Output, printAnswer, printable, printLine, say } from '../output.ts';
import type { Service } from './service.ts';

/** The program that opens an address, without a shell in between. */
function openerOf(url: string): [program: string, ...args: string[]] {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}

/** Prints the address of a page, and opens it on a terminal. */
export async function open(service: Service, id: string, { json }: Output): Promise<void> {
  const { data, text } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } } }));
  if (json) return await printAnswer(text);
  await printLine(printable(data.url));
  const address = URL.canParse(data.url) ? new URL(data.url) : undefined;
  if (!isTerminal() || !address || !/^https?:$/.test(address.protocol)) return;
  const [program, ...args] = openerOf(address.href);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
    child.unref();
  } catch {
    say(`there is no ${program} to open it with: open the address yourself`);
  }
}

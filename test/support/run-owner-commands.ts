import { afterAll, vi } from 'vitest';
import { COMMAND_LIMITS } from '../../src/commands/command-limits.ts';
import { formhost, startCommand } from './run-command.ts';
import { storeTexts } from './stored-submissions.ts';
import { testService } from './test-service.ts';

/*
 * The commands of owners, on a service.
 */

export const FORM =
  '<!doctype html><title>Contact</title><form method="post" action="{{FORM_ACTION}}"><input name="a"><button>Send</button></form>';

export const wait = (assertion: () => unknown) => vi.waitFor(assertion, 60_000);

/** A service with an owner, who runs commands. For all tests of a file, which awaits it at its top. */
export async function ownerCommands(settings: Record<string, string> = {}) {
  const limits = { ...COMMAND_LIMITS };
  // A command tries again at once, and its lists have several pages.
  Object.assign(COMMAND_LIMITS, { firstPauseMs: 5, pageSize: 2 });
  afterAll(() => void Object.assign(COMMAND_LIMITS, limits));
  const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...settings });
  const owner = await service.owner();
  const account: Record<string, string> = { FORMHOST_URL: service.url, FORMHOST_KEY: owner.key };

  const run = (args: readonly string[], input = '') => formhost(args, { settings: account, input });
  const inFolder = (cwd: string, ...args: string[]) => formhost(args, { settings: account, cwd });
  const onTerminal = (args: readonly string[], settings: Record<string, string> = {}) =>
    startCommand(args, { settings: { ...account, ...settings }, terminal: true });

  /** The answer of the API, as text. */
  const apiText = async (path: string): Promise<string> => (await owner.get(path).expect(200)).text;

  /** A deployment with many submissions; `text` makes each out of its number. */
  async function filled(count: number, text: (number: number) => string): Promise<string> {
    const { id } = await owner.deploy();
    const texts = Array.from({ length: count }, (_, index) => text(index + 1));
    await storeTexts(service.db, id, texts);
    return id;
  }

  return { service, owner, account, run, inFolder, onTerminal, apiText, filled };
}

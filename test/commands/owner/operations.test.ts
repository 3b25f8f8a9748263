import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declareProgram } from '../../../src/commands/formhost.ts';
import { commandFor, commandOf } from '../../../src/commands/owner/operations.ts';
import { OPERATIONS } from '../../../src/http/endpoints.ts';
import { PROJECT } from '../../support/process.ts';
import { declareWholeProgram } from '../../support/run-command.ts';

/*
 * The commands that operations declare.
 */

type Named = { name(): string; commands: readonly Named[]; options: readonly { long?: string | undefined }[] };
const commandsOf = ({ commands }: Named): Named[] => commands.flatMap((command) => [command, ...commandsOf(command)]);
const linesOf = ({ commands }: Named, path = 'formhost'): string[] =>
  commands.flatMap((command) => [`${path} ${command.name()}`, ...linesOf(command, `${path} ${command.name()}`)]);

const operations = OPERATIONS.map(({ operation }) => operation);
const program = await declareWholeProgram();
const lines = linesOf(program);

describe('every operation', () => {
  it.each(operations.map(({ name, ...operation }) => ({ name, ...operation })))(
    '$name has a command, or a sentence that says why not',
    ({ commands, noCommand = '' }) => {
      if (commands.length > 0) expect(noCommand).toBe('');
      else expect(noCommand).toMatch(/^[`A-Z].{10,}\.$/);
      const named = Array.from(noCommand.matchAll(/`(formhost [a-z -]+)`/g), ([, line]) => line);
      expect(named.filter((line) => !lines.includes(line ?? ''))).toEqual([]);
    },
  );

  it('that a command written by hand uses is declared with a command of its own, or names one', () => {
    const used = globSync('src/commands/owner/*.ts', { cwd: PROJECT }).flatMap((file) =>
      Array.from(
        readFileSync(join(PROJECT, file), 'utf8').matchAll(
          /\.(?:api|quietApi)\s*\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g,
        ),
        ([, method = '', path = '']) => `${method} ${path}`,
      ),
    );
    expect(used.length).toBeGreaterThan(10);
    const pathOf = (path: string) => path.replaceAll(/[:*](\w+)/g, '{$1}');
    const unnamed = used.filter((one) => {
      const found = operations.find(({ method, path }) => `${method} ${pathOf(path)}` === one);
      return !found || (found.commands.length === 0 && !/`formhost [a-z ]+`/.test(found.noCommand ?? ''));
    });
    expect(unnamed).toEqual([]);
  });
});

describe('the help of formhost', () => {
  it('is the same whether the declarations are loaded or not', async () => {
    expect((await declareProgram([])).helpInformation()).toBe(program.helpInformation());
  });
});

describe('the options of commands', () => {
  it('are none of those that formhost takes before and after each command', () => {
    const ofProgram = program.options.map(({ long }) => long);
    expect(ofProgram).toEqual(['--version', '--profile']);
    const taken = commandsOf(program).flatMap((command) =>
      command.options.filter(({ long }) => ofProgram.includes(long)).map(({ long }) => `${command.name()} ${long}`),
    );
    expect(taken).toEqual([]);
  });
});

describe('the words of commands', () => {
  it.each([
    ['listTrash', 'formhost trash list'],
    ['changeWebhook', 'formhost webhooks change'],
    ['rotateWebhookSecret', 'formhost webhooks secret'],
    ['getSettings', 'formhost settings get'],
    ['streamSubmissions', 'formhost tail'],
    ['getHealth', undefined],
  ])('name the command of %s', (operation, line) => {
    expect(commandOf(operation)).toBe(line);
  });

  it('name it by its method and path, too', () => {
    expect(commandFor('GET /deploy/:id/domains')).toBe('formhost domains list');
    expect(commandFor('GET /nothing')).toBe(undefined);
  });
});

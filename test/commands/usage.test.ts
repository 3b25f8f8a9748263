import { describe, expect, it } from 'vitest';
import { declareProgram } from '../../src/commands/formhost.ts';
import { formhost, misusedFor } from '../support/command.ts';
import { emptyFolder } from '../support/formhost.ts';

const { commands } = declareProgram();
const GROUPS = commands.filter((command) => command.commands.length > 0).map((command) => command.name());
const COMMANDS = commands.flatMap((command) =>
  command.commands.length === 0 ? [[command.name()]] : command.commands.map((inner) => [command.name(), inner.name()]),
);

// Help needs no settings: this database is out of reach, and the port is wrong.
const settings = {
  FORMHOST_URL: 'http://127.0.0.1:1',
  FORMHOST_KEY: 'fh_none',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  PORT: 'http',
};
const run = (args: readonly string[]) => formhost(args, { settings });
const ID = 'd_1';

describe('the help of formhost', () => {
  it('lists all commands, with or without --help, and tells the version', async () => {
    const bare = await run([]);
    expect(bare).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: formhost /), stderr: '' });
    const names = Array.from(bare.stdout.matchAll(/^ {2}([a-z-]+) /gm), ([, name]) => name);
    expect(names).toEqual([...commands.map((command) => command.name()), 'help']);
    expect([await run(['--help']), await run(['help'])]).toEqual([bare, bare]);
    expect(await run(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });

  it.each(COMMANDS.map((command) => [command.join(' '), command]))('of %s has an example', async (name, command) => {
    const help = await run([...command, '--help']);
    expect(help).toEqual({ code: 0, stdout: expect.stringMatching(`^Usage: formhost ${name} `), stderr: '' });
    expect(help.stdout).not.toContain('\u001b');
    if (name === 'start') return;
    expect(help.stdout).toContain('--json');
    expect(help.stdout).toContain(`Examples:\n  $ formhost ${name}`);
    expect(await run(['help', ...command.slice(0, 1)])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('wrong usage', () => {
  it.each<[line: string, message: string]>([
    ['deploi', "unknown command 'deploi' \\(Did you mean deploy\\?\\)"],
    ['deploy', "missing required argument 'file'.*formhost deploy --help"],
    ['list x', 'too many arguments'],
    ['list --jsno', "unknown option '--jsno' \\(Did you mean --json\\?\\)"],
    [`export ${ID}`, '--format is needed'],
    [`export ${ID} --format pdf`, 'Allowed choices are csv, ndjson, xlsx: formhost export --help'],
    [`export ${ID} --format csv --json`, '--json cannot be csv'],
    ['webhooks add', "missing required argument 'id': formhost webhooks add --help"],
    [`webhooks log ${ID} wh_0 --limit 101`, '1 to 100'],
    [`webhooks add ${ID} https://e.example --type teams`, 'Allowed choices are generic, slack'],
    [`rollback ${ID} one`, 'one is not a version'],
    ['deploy - --watch', '--watch needs a FILE'],
    [`delete ${ID} --json --no`, "unknown option '--no'"],
    ['start now', 'too many arguments'],
    ['keys remove', "unknown command 'remove'"],
    ['keys create', "required option '--email <address>' not specified: formhost keys create --help"],
    ['keys create --email a@keys.example --scope write', 'Allowed choices are full, read'],
    ['keys revoke', "missing required argument 'key-id'"],
    ['keys list --plan x', "unknown option '--plan'"],
    ['owners list more', 'too many arguments'],
    ['owners set-plan a@b.example', "missing required argument 'plan'"],
    ['owners set-email a b c', 'too many arguments'],
    ['deployments list more', 'too many arguments'],
    ['deployments list --taken-down --deleted', "'--taken-down' cannot be used with option '--deleted'"],
    ['deployments take-down a', "required option '--reason <why>' not specified"],
    ['deployments restore a --reason x', "unknown option '--reason'"],
    ['deployments purge a b', 'too many arguments'],
    ['deployments undelete', "missing required argument 'id'"],
    ['backup', "missing required argument 'file'"],
    ['restore a b', 'too many arguments'],
    ['files move', "required option '--to <place>' not specified"],
    ['files move --to disk', 'Allowed choices are bucket, database'],
    ['doctor --fix', "unknown option '--fix'"],
    ['mail-test', "missing required argument 'address'"],
    ['mail-test a@b.example c@d.example', 'too many arguments'],
  ])('formhost %s: exit code 2 and one line', async (line, message) => {
    expect(await run(line.split(' '))).toEqual(misusedFor(message));
  });

  it.each(GROUPS)('formhost %s alone: exit code 2 and its help', async (group) => {
    const { stdout: help } = await run([group, '--help']);
    expect(await run([group])).toEqual({ code: 2, stdout: '', stderr: help });
  });
});

describe('a file that is named', () => {
  it('is of the folder in which formhost was called', async () => {
    const [FORMHOST_HOME, cwd] = [await emptyFolder(), await emptyFolder()];
    const { stderr } = await formhost(['restore', 'no.backup'], { settings: { FORMHOST_HOME }, cwd });
    expect(stderr).toContain(`open '${cwd}/no.backup'`);
  });
});

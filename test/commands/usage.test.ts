import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/lib/project.ts';
import { declareWholeProgram, formhost, misusedFor } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';

type Named = { name(): string; commands: readonly Named[] };
/** The lines that call the groups, or the commands, below one: `admin keys list`. */
const linesBelow = ({ commands }: Named, kind: 'groups' | 'commands', path = ''): string[] =>
  commands.flatMap((command) => {
    const line = path + command.name();
    const isWanted = (kind === 'groups') === command.commands.length > 0;
    return [...(isWanted ? [line] : []), ...linesBelow(command, kind, `${line} `)];
  });

const program = await declareWholeProgram();

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
    const names = Array.from(bare.stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm), ([, name]) => name);
    expect(names).toEqual([...program.commands.map((command) => command.name()), 'help']);
    const steps = Array.from(bare.stdout.matchAll(/\$ formhost (\S+)/g), ([, name]) => name);
    expect(steps).toEqual([
      ...['start', 'login', 'deploy', 'check', 'deploy', 'rollback', 'search', 'export', 'settings', 'webhooks'],
    ]);
    expect([await run(['--help']), await run(['help'])]).toEqual([bare, bare]);
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each(linesBelow(program, 'commands'))('of %s has an example', async (name) => {
    const words = name.split(' ');
    const help = await run([...words, '--help']);
    expect(help).toEqual({ code: 0, stdout: expect.stringMatching(`^Usage: formhost ${name} `), stderr: '' });
    expect(help.stdout).not.toContain('\u001b');
    if (name === 'start') return;
    expect(help.stdout).toContain('--json');
    expect(help.stdout).toContain(`Examples:\n  $ formhost ${name}`);
    expect(await run(['help', ...words.slice(0, 1)])).toMatchObject({ code: 0, stderr: '' });
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
    ['webhooks add', "missing required argument 'id': formhost webhooks add --help"],
    [`webhooks log ${ID} wh_0 --limit 101`, '1 to 100'],
    [`webhooks add ${ID} https://e.example --type teams`, 'Allowed choices are generic, slack'],
    [`rollback ${ID} one`, 'one is not a version'],
    [`domains add ${ID}`, "missing required argument 'domain': formhost domains add --help"],
    ['deploy - --watch', '--watch needs a FILE'],
    ['deploy x.html --id contact --new', "'--id <id>' cannot be used with option '--new'"],
    [`settings set ${ID}`, "missing required argument 'name=value'"],
    [`settings set ${ID} language`, 'language is not a setting with a value: give it as NAME=VALUE'],
    ['files get /submissions/d_1/sub_1/files/file_1 --output', "'--output <file>' argument missing"],
    ['keys create', "required option '--name <name>' not specified: formhost keys create --help"],
    ['list --profile home', 'FORMHOST_URL or FORMHOST_KEY is set, and so is the profile home'],
    ['admin keys remove', "unknown command 'remove'"],
    ['admin keys create', "required option '--email <address>' not specified: formhost admin keys create --help"],
    ['admin keys create --email a@keys.example --scope write', 'Allowed choices are full, read'],
    ['admin deployments list --taken-down --deleted', "'--taken-down' cannot be used with option '--deleted'"],
    ['admin deployments take-down a', "required option '--reason <why>' not specified"],
    ['admin deployments purge a b', 'too many arguments'],
    ['admin backup', "missing required argument 'file'"],
    ['admin files move', "required option '--to <place>' not specified"],
    ['admin files move --to disk', 'Allowed choices are bucket, database'],
  ])('formhost %s: exit code 2 and one line', async (line, message) => {
    expect(await run(line.split(' '))).toEqual(misusedFor(message));
  });

  it.each(linesBelow(program, 'groups'))('formhost %s alone: exit code 2 and its help', async (group) => {
    const words = group.split(' ');
    const { stdout: help } = await run([...words, '--help']);
    expect(await run(words)).toEqual({ code: 2, stdout: '', stderr: help });
  });

  it.each([`export ${ID} --format csv --json`, 'deploi --json'])(
    'formhost %s: JSON on standard error',
    async (line) => {
      const { stderr, ...rest } = await run(line.split(' '));
      expect(rest).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr)).toEqual({ error: expect.any(String) });
    },
  );
});

describe('a file that is named', () => {
  it('is of the folder in which formhost was called', async () => {
    const [FORMHOST_HOME, cwd] = [await emptyFolder(), await emptyFolder()];
    const { stderr } = await formhost(['admin', 'restore', 'no.backup'], { settings: { FORMHOST_HOME }, cwd });
    expect(stderr).toContain(`open '${cwd}/no.backup'`);
  });
});

import { styleText } from 'node:util';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { onLauncherLost } from '../lib/launcher.ts';
import { VERSION } from '../lib/project.ts';
import { CommandError, hasCode, Interrupted, messageOf, UsageError } from './command-error.ts';
import { sayError } from './output.ts';
import { declareOwnerCommands } from './owner-commands.ts';

/*
 * The program `formhost`. Exit codes: 0 done, 1 failed, 2 wrong usage.
 */

const INTERRUPTED_CODE = 130;

/** A command in the list of its group: all have options, so they are left out. */
const subcommandTerm = (command: { name(): string; usage(): string }): string =>
  `${command.name()} ${command.usage().replaceAll(/\[(?:options|command)\] ?/g, '')}`.trimEnd();

/** The commands. Those that load the service, or its declarations, are declared when `words` call them. */
export async function declareProgram(words: readonly string[]): Promise<Command> {
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  const program = new Command()
    .name('formhost')
    .description('Publish HTML pages, and get what their forms submit.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ styleTitle: bold, styleCommandText: bold, showGlobalOptions: false, subcommandTerm })
    .helpCommand('help [command]', 'print help for a command')
    // Printed by `fail`.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  await declareOwnerCommands(program, words);
  program.commandsGroup('For operators, on the machine of the service:');
  program.command('start').description('Start the service');
  const admin = program.command('admin').description('Keys, owners, pages of all owners, backups, and more');
  if (words.includes('admin')) (await import('./operator-commands.ts')).declareOperatorCommands(admin);
  return program.addHelpText(
    'after',
    `
Begin here:
  Start a service    $ formhost start
  Log in             $ formhost login https://forms.example.org
  Publish, update    $ formhost deploy contact.html
  Check its forms    $ formhost check contact.html
  Edit               $ formhost deploy contact.html --watch
  Go back            $ formhost rollback contact
  Read               $ formhost search contact ""
  Export             $ formhost export contact --format csv --output contact.csv
  Get mail           $ formhost settings set contact email_notifications=true
  Call a program     $ formhost webhooks add contact https://example.org/hook

formhost COMMAND --help tells more. Exit codes: 0 done, 1 failed, 2 wrong usage.`,
  );
}

/** The command that these words call, as they are typed: `formhost admin keys list`. */
function calledBy(words: readonly string[], program: Command): string {
  const called = ['formhost'];
  let { commands } = program;
  for (const word of words) {
    const command = commands.find((one) => one.name() === word);
    if (!command) break;
    called.push(word);
    commands = command.commands;
  }
  return called.join(' ');
}

/** Prints one line for a person, and sets the exit code. */
function fail(error: unknown, program: Command, words: readonly string[]): void {
  // The reader has closed the pipe: it has what it wanted. EOF: on Windows.
  if (hasCode(error, /^(?:EPIPE|EOF)$/)) return;
  if (error instanceof Interrupted) {
    process.exitCode = INTERRUPTED_CODE;
    return;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return;
    process.exitCode = 2;
    // A group of commands without one of them: its help is printed already.
    if (error.code === 'commander.help') return;
    const what = error.message
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ');
    sayError(`${what}: ${calledBy(words, program)} --help shows the usage`);
    return;
  }
  process.exitCode = error instanceof UsageError ? 2 : 1;
  const isForeseen = error instanceof UsageError || error instanceof CommandError;
  sayError(`${isForeseen ? '' : 'unexpected error: '}${messageOf(error)}`);
}

/** Runs the command that this process' arguments name. */
export async function main(): Promise<void> {
  // Without a listener an error of a pipe would end the process, in front of the code that handles it.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  const words = process.argv.slice(2);
  const program = await declareProgram(words);
  try {
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync();
  } catch (error) {
    fail(error, program, words);
  }
}

if (import.meta.main) {
  onLauncherLost(() => process.kill(process.pid, 'SIGTERM'));
  await main();
}

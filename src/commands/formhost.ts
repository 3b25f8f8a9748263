import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { Argument, Command, CommanderError, Option } from '@commander-js/extra-typings';
import { EVENTS } from '../lib/events.ts';
import { CommandError, hasCode, messageOf, printError, UsageError } from './command-error.ts';
import { readAccount } from './owner/account.ts';
import { INTERRUPTED_CODE } from './owner/interrupt.ts';
import { Interrupted, printable } from './owner/output.ts';
import type { Service } from './owner/service.ts';

/*
 * The command `formhost`: what it can do, its options and its help. What a command needs is loaded when it runs, so that help
 * does not wait for the rest.
 */

type OperatorCommand = { description: string; argument?: Argument<string> };

/** The commands of operators, which are run as `npm run` runs them: their arguments are declared for help only. */
const OPERATOR_COMMANDS: Readonly<Record<string, OperatorCommand>> = {
  keys: {
    description: 'Make, list and revoke API keys',
    argument: new Argument('<command>').choices(['create', 'list', 'revoke']),
  },
  owners: {
    description: 'List owners, change plans and addresses',
    argument: new Argument('<command>').choices(['list', 'set-plan', 'set-email']),
  },
  deployments: {
    description: 'Take pages down, restore, export and purge',
    argument: new Argument('<command>').choices(['list', 'take-down', 'restore', 'export', 'undelete', 'purge']),
  },
  backup: { description: 'Back the database up', argument: new Argument('<file>') },
  restore: { description: 'Restore a backup', argument: new Argument('<file>') },
  files: {
    description: 'Move files of submissions to an S3 bucket, or back',
    argument: new Argument('<command>').choices(['status', 'move', 'claim']),
  },
  doctor: { description: 'Check settings, database, DNS, TLS, mail and more' },
  'mail-test': { description: 'Send a test mail', argument: new Argument('<address>') },
};

/** Before the project's folder is entered: where FILE arguments are meant. */
async function runOperatorCommand(name: string, args: readonly string[]): Promise<void> {
  process.env.FORMHOST_CALLED_FROM = process.cwd();
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  process.argv = [process.execPath, 'formhost', ...args];
  const command: { main(): Promise<void> } = await import(new URL(`./${name}.ts`, import.meta.url).href);
  await command.main();
}

const JSON_OPTION = ['--json', 'print what the API answers, unchanged'] as const;

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ formhost ${line}`).join('\n')}`;

/** The service that the user is logged in at. */
async function service(): Promise<Service> {
  const { createService } = await import('./owner/service.ts');
  return createService(await readAccount(process.env));
}

const ID = 'id of the page, or its slug';
const FILE = 'an HTML file, or - for standard input';

function declareOwnerCommands(program: Command): void {
  program.commandsGroup('Pages and submissions:');

  program
    .command('login')
    .description('Store the address of a service and your API key')
    .argument('[url]', 'address of the service (asked for on a terminal)')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
The key is asked for without showing it, or read from standard input. FORMHOST_URL and FORMHOST_KEY stand for both, for
programs.
${examples('login https://forms.example.org', 'login https://forms.example.org < key.txt')}`,
    )
    .action(async (url, options) => (await import('./owner/login.ts')).login(url, options));

  program
    .command('deploy')
    .description('Publish a page, or update it')
    .argument('<file>', FILE)
    .option(...JSON_OPTION)
    .option('--slug <slug>', 'name of a new page in its address')
    .option('--id <id>', 'update this page (id or slug), and remember it for the file')
    .option('--new', 'publish another page, and remember it for the file')
    .option('--watch', 'update at every change of the file, until Ctrl-C')
    .addHelpText(
      'after',
      `
Which page a file is, is kept in .formhost.json beside it. Problems of the page's forms are printed on standard error.
${examples('deploy contact.html', 'deploy contact.html --watch', 'deploy - --slug spring-sale < sale.html')}`,
    )
    .action(async (file, options) => (await import('./owner/deploy.ts')).deploy(await service(), file, options));

  program
    .command('check')
    .description("Find what would keep a page's forms from arriving")
    .argument('<file>', FILE)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `\nThe exit code is 1 if there is an error.\n${examples('check contact.html', 'check - --json < contact.html')}`,
    )
    .action(async (file, options) => (await import('./owner/check.ts')).check(await service(), file, options));

  program
    .command('list')
    .description('List your pages')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('list', 'list --json', 'list | cut -f1'))
    .action(async (options) => (await import('./owner/list.ts')).list(await service(), options));

  program
    .command('open')
    .description('Print the address of a page, and open it in a browser')
    .argument('<id>', ID)
    .option(...JSON_OPTION)
    .addHelpText('after', `\nOnly on a terminal a browser is opened.\n${examples('open contact')}`)
    .action(async (id, options) => (await import('./owner/open.ts')).open(await service(), id, options));

  program
    .command('tail')
    .description('Show submissions as they come, until Ctrl-C')
    .argument('<id>', ID)
    .option(...JSON_OPTION)
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .addHelpText('after', examples('tail contact', 'tail contact --after 0', 'tail contact --json | jq .data.email'))
    .action(async (id, options) => (await import('./owner/tail.ts')).tail(await service(), id, options));

  program
    .command('search')
    .description('Find submissions by a text in them')
    .argument('<id>', ID)
    .argument('<query>', 'text to find, in any case; "" finds all')
    .option(...JSON_OPTION)
    .option('--from <time>', 'received from this time or day on')
    .option('--to <time>', 'received before this time or day')
    .option('--unread', 'only what is not marked as read')
    .option('--starred', 'only what has a star')
    .addHelpText(
      'after',
      `\nWith --json there is a line for each answer of the API.\n${examples('search contact ada@example.org', 'search contact "" --unread --from 2026-11-01')}`,
    )
    .action(async (id, query, options) =>
      (await import('./owner/search.ts')).search(await service(), id, query, options),
    );

  program
    .command('export')
    .description('Get all submissions as a file')
    .argument('<id>', ID)
    .addOption(new Option('--format <format>', 'csv, ndjson or xlsx').choices(['csv', 'ndjson', 'xlsx'] as const))
    .option('--output <file>', 'write this file, when all has arrived; - is standard output')
    .option('--labels', 'labels of the form in the header row, instead of names (csv and xlsx)')
    .option('--json', 'the same as --format ndjson')
    .addHelpText(
      'after',
      `
After a broken connection csv and ndjson go on where they were, and xlsx begins again.
${examples('export contact --format csv --output contact.csv', 'export contact --format ndjson | jq -r .data.email')}`,
    )
    .action(async (id, { json, format, ...options }) => {
      if (json && format !== undefined && format !== 'ndjson')
        throw new UsageError(`--json cannot be ${format}: leave one of them out`);
      const chosen = format ?? (json ? 'ndjson' : undefined);
      if (chosen === undefined) throw new UsageError('--format is needed: csv, ndjson or xlsx');
      const { exportSubmissions } = await import('./owner/export.ts');
      await exportSubmissions(await service(), id, { ...options, format: chosen });
    });

  program
    .command('stats')
    .description('Count submissions by day or hour')
    .argument('<id>', ID)
    .option(...JSON_OPTION)
    .option('--from <time>', 'from this time or day on (30 days ago)')
    .option('--to <time>', 'before this time or day')
    .addOption(new Option('--by <unit>', 'day or hour').choices(['day', 'hour'] as const))
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (UTC)')
    .addHelpText('after', examples('stats contact', 'stats contact --by hour --from 2026-11-22 --tz Europe/Berlin'))
    .action(async (id, options) => (await import('./owner/stats.ts')).stats(await service(), id, options));

  program
    .command('rollback')
    .description('Make an older version of a page live')
    .argument('<id>', ID)
    .argument('[version]', 'number of the version (the one before the live one)')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('rollback contact', 'rollback contact 3'))
    .action(async (id, version, options) =>
      (await import('./owner/rollback.ts')).rollback(await service(), id, version, options),
    );

  program
    .command('delete')
    .description('Take a page offline, and move it to the trash')
    .argument('<id>', ID)
    .option(...JSON_OPTION)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('delete contact', 'delete contact --yes'))
    .action(async (id, options) => (await import('./owner/remove.ts')).remove(await service(), id, options));

  declareWebhookCommands(program);
}

function declareWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('Send submissions to other programs')
    .addHelpText('after', examples('webhooks add contact https://example.org/hook', 'webhooks log contact wh_0Vbb…'));

  webhooks
    .command('add')
    .description('Add a webhook, and print its id')
    .argument('<id>', ID)
    .argument('<url>', 'where submissions are sent')
    .option(...JSON_OPTION)
    .addOption(new Option('--type <type>', 'generic or slack').choices(['generic', 'slack'] as const))
    .addOption(new Option('--events <event...>', 'what is sent (all)').choices(EVENTS))
    .addHelpText(
      'after',
      examples(
        'webhooks add contact https://example.org/hook',
        'webhooks add contact https://hooks.slack.com/services/… --type slack',
      ),
    )
    .action(async (id, url, options) =>
      (await import('./owner/webhooks.ts')).addWebhook(await service(), id, url, options),
    );

  webhooks
    .command('list')
    .description('List the webhooks of a page')
    .argument('<id>', ID)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('webhooks list contact'))
    .action(async (id, options) => (await import('./owner/webhooks.ts')).listWebhooks(await service(), id, options));

  webhooks
    .command('test')
    .description('Send a sample submission, and wait for its outcome')
    .argument('<id>', ID)
    .argument('<webhook>', 'id of the webhook')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('webhooks test contact wh_0Vbb…'))
    .action(async (id, webhook, options) =>
      (await import('./owner/webhooks.ts')).testWebhook(await service(), id, webhook, options),
    );

  webhooks
    .command('log')
    .description('List the deliveries of a webhook, newest first')
    .argument('<id>', ID)
    .argument('<webhook>', 'id of the webhook')
    .option(...JSON_OPTION)
    .addOption(new Option('--limit <number>', 'how many, at most 100').argParser(readLimit).default(20))
    .addHelpText('after', examples('webhooks log contact wh_0Vbb…'))
    .action(async (id, webhook, options) =>
      (await import('./owner/webhooks.ts')).showLog(await service(), id, webhook, options),
    );

  webhooks
    .command('retry')
    .description('Send a delivery again')
    .argument('<id>', ID)
    .argument('<webhook>', 'id of the webhook')
    .argument('<delivery>', 'id of the delivery')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('webhooks retry contact wh_0Vbb… dl_0Vbb…'))
    .action(async (id, webhook, delivery, options) =>
      (await import('./owner/webhooks.ts')).retryDelivery(await service(), id, webhook, delivery, options),
    );
}

function readLimit(text: string): number {
  if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > 100) throw new UsageError('--limit is a number from 1 to 100');
  return Number(text);
}

function declareOperatorCommands(program: Command): void {
  program.commandsGroup('For operators, on the machine of the service:');
  program.command('start').description('Start the service');
  for (const [name, { description, argument }] of Object.entries(OPERATOR_COMMANDS)) {
    const command = program.command(name).description(description).helpOption(false);
    if (argument) command.addArgument(argument);
  }
}

async function runOwnerCommand(program: Command): Promise<void> {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  program
    .name('formhost')
    .description('Publish HTML pages, and get what their forms submit.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ styleTitle: bold, styleCommandText: bold, showGlobalOptions: false })
    .helpCommand('help [command]', 'print help for a command')
    // Printed by `fail`.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  declareOwnerCommands(program);
  declareOperatorCommands(program);
  program.addHelpText(
    'after',
    `${examples('login https://forms.example.org', 'deploy contact.html', 'tail contact')}

formhost COMMAND --help tells more. Exit codes: 0 done, 1 failed, 2 wrong usage.`,
  );
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
}

/** A line for a person, and the exit code. */
function fail(error: unknown, program: Command, [name, inside]: readonly string[]): void {
  // The reader has closed the pipe: it has what it wanted.
  if (hasCode(error, /^EPIPE$/)) return;
  if (error instanceof Interrupted) {
    process.exitCode = INTERRUPTED_CODE;
    return;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return;
    process.exitCode = 2;
    // A group of commands without one of them: its help is printed already.
    if (error.code === 'commander.help') return;
    const command = program.commands.find((one) => one.name() === name);
    const inner = command?.commands.find((one) => one.name() === inside);
    const called = ['formhost', command?.name(), inner?.name()].filter((part) => part !== undefined).join(' ');
    const what = error.message
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ');
    printError(printable(`${what}: ${called} --help shows the usage`));
    return;
  }
  process.exitCode = error instanceof UsageError ? 2 : 1;
  const isForeseen = error instanceof UsageError || error instanceof CommandError;
  printError(`${isForeseen ? '' : 'unexpected error: '}${printable(messageOf(error))}`);
}

/** Runs the command that this process' arguments name. */
export async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const [name = '', ...args] = words;
  const helped = name === 'help' ? args[0] : undefined;
  const program = new Command();
  try {
    if (Object.hasOwn(OPERATOR_COMMANDS, name)) await runOperatorCommand(name, args);
    else if (helped !== undefined && Object.hasOwn(OPERATOR_COMMANDS, helped))
      await runOperatorCommand(helped, ['--help']);
    else await runOwnerCommand(program);
  } catch (error) {
    fail(error, program, words);
  }
}

if (import.meta.main) {
  // Without a listener an error of a pipe would end the process, in front of the code that handles it.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  await main();
}

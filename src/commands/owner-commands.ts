import { type Command, Option } from '@commander-js/extra-typings';
import { EVENTS } from '../lib/events.ts';
import { SIZES } from '../sizes.ts';
import { UsageError } from './command-error.ts';
import { declare } from './declare.ts';
import { readAccount } from './owner/account.ts';
import { check } from './owner/check.ts';
import { deploy } from './owner/deploy.ts';
import { exportSubmissions } from './owner/export.ts';
import { getFile } from './owner/files.ts';
import * as keys from './owner/keys.ts';
import { list } from './owner/list.ts';
import { login, logout, whoami } from './owner/login.ts';
import { open } from './owner/open.ts';
import { pull } from './owner/pull.ts';
import { remove } from './owner/remove.ts';
import { rollback } from './owner/rollback.ts';
import { search } from './owner/search.ts';
import { idOf, Service } from './owner/service.ts';
import { getSettings, setSettings } from './owner/settings.ts';
import * as spam from './owner/spam.ts';
import { stats } from './owner/stats.ts';
import { tail } from './owner/tail.ts';
import * as trash from './owner/trash.ts';
import { versions } from './owner/versions.ts';
import * as webhooks from './owner/webhooks.ts';

/*
 * The commands of owners: they use the API.
 */

const { maxLimit } = SIZES.list;
const ID = 'id of the page, or its slug';
const FILE = 'an HTML file, a folder with index.html alone, or - for standard input';

/** Declares a command about one page. */
const forPage = (parent: Command, name: string, description: string, ...help: string[]) =>
  declare(parent, name, description, ...help).argument('<id>', ID);

/** Runs commands with the service that the user is logged in at. */
class Runner {
  readonly profile: () => string | undefined;

  constructor(profile: () => string | undefined) {
    this.profile = profile;
  }

  run<Rest extends unknown[]>(command: (service: Service, ...rest: Rest) => Promise<void>) {
    return async (...rest: Rest): Promise<void> => command(await this.#connect(), ...rest);
  }

  /** Runs a command about a page, with its id: a person may have typed the slug. */
  onPage<Rest extends unknown[]>(command: (service: Service, id: string, ...rest: Rest) => Promise<void>) {
    return async (name: string, ...rest: Rest): Promise<void> => {
      const service = await this.#connect();
      await command(service, await idOf(service, name), ...rest);
    };
  }

  async #connect(): Promise<Service> {
    return new Service(await readAccount(process.env, this.profile()));
  }
}

export function declareOwnerCommands(program: Command): void {
  const common = program.addOption(
    new Option('--profile <name>', 'which of several services to use: the name under which login stored it').env(
      'FORMHOST_PROFILE',
    ),
  );
  const runner = new Runner(() => common.opts().profile || undefined);
  declareAccountCommands(program, runner);
  declarePageCommands(program, runner);
  declareHistoryCommands(program, runner);
  declareSubmissionCommands(program, runner);
  declareWebhookCommands(program, runner);
}

function declareAccountCommands(program: Command, runner: Runner): void {
  program.commandsGroup('Your account:');
  declare(
    program,
    'login',
    'Store the address of a service and your API key',
    'The key is asked for without showing it, or read from standard input. Programs set FORMHOST_URL and FORMHOST_KEY instead.',
    '$ login https://forms.example.org',
    '$ login https://forms.example.org < key.txt',
    '$ login https://staging.example.org --profile staging',
  )
    .argument('[url]', 'address of the service (asked for on a terminal)')
    .action((url, options) => login(url, { ...options, profile: runner.profile() }));
  declare(program, 'logout', 'Remove the stored key', '$ logout').action((options) =>
    logout({ ...options, profile: runner.profile() }),
  );
  declare(program, 'whoami', 'Print the service, the owner of the key, and what the plan allows', '$ whoami').action(
    runner.run(whoami),
  );
  declareKeyCommands(program, runner);
}

function declareKeyCommands(program: Command, runner: Runner): void {
  const group = program.command('keys').description('Make, list and revoke your API keys');
  declare(group, 'create', 'Make a key, and print it this once', '$ keys create --name "Website build" --scope read')
    .requiredOption('--name <name>', `what it is for, 1 to ${SIZES.apiKey.maxNameChars} characters`)
    .addOption(
      new Option('--scope <scope>', 'what the key may do').choices(['full', 'read'] as const).default('full' as const),
    )
    .option('--expires <time>', 'when the key ends, such as 2027-01-01')
    .action(runner.run(keys.create));
  declare(group, 'list', 'List your keys', '$ keys list').action(runner.run(keys.list));
  declare(group, 'revoke', 'End a key', '$ keys revoke key_0Vbb…')
    .argument('<key>', 'id of the key')
    .action(runner.run(keys.revoke));
}

function declarePageCommands(program: Command, runner: Runner): void {
  program.commandsGroup('Pages:');
  declare(
    program,
    'deploy',
    'Publish a page, or update it',
    "Which page a file is, is stored in .formhost.json beside it. Problems of the page's forms are printed on standard error.",
    '$ deploy contact.html',
    '$ deploy contact.html --watch',
    '$ deploy - --slug spring-sale < sale.html',
  )
    .argument('<file>', FILE)
    .option('--slug <slug>', 'name of a new page in its address')
    .addOption(
      new Option('--id <id>', 'update this page (id or slug), and remember it for the file').conflicts(['slug', 'new']),
    )
    .option('--new', 'publish another page, and remember it for the file')
    .option('--watch', 'update at every change of the file, until Ctrl-C')
    .action(runner.run(deploy));
  declare(
    program,
    'check',
    "Find what would keep a page's forms from arriving",
    'The exit code is 1 if there is an error.',
    '$ check contact.html',
    '$ check - --json < contact.html',
  )
    .argument('<file>', FILE)
    .action(runner.run(check));
  declare(program, 'list', 'List your pages', '$ list', '$ list | cut -f1').action(runner.run(list));
  forPage(program, 'open', 'Print the address of a page; on a terminal, open it in a browser', '$ open contact').action(
    runner.onPage(open),
  );
  forPage(program, 'pull', 'Write the HTML of a page to index.html, for deploy', '$ pull contact', '$ deploy contact')
    .argument('[folder]', 'where index.html is written (a folder with the name of the slug)')
    .option('--force', 'replace the file that is there')
    .action(runner.onPage(pull));
  declareSettingsCommands(program, runner);
}

function declareSettingsCommands(program: Command, runner: Runner): void {
  const settings = program.command('settings').description('Mail, redirects, spam and more of a page');
  forPage(settings, 'get', 'Print all settings of a page', '$ settings get contact').action(runner.onPage(getSettings));
  forPage(
    settings,
    'set',
    'Change settings of a page',
    'A value is a text, a list with commas, or JSON. Other settings stay as they are.',
    '$ settings set contact email_notifications=true recipients=ada@example.org,eve@example.org',
    '$ settings set contact redirect_url=https://example.org/thanks retention_days=null',
    `$ settings set contact 'spam={"blocklist":["casino"],"captcha":{"provider":"altcha"}}'`,
  )
    .argument('<name=value...>', 'a setting, as `settings get` names it, and its new value')
    .action(runner.onPage(setSettings));
}

function declareHistoryCommands(program: Command, runner: Runner): void {
  forPage(program, 'versions', 'List the versions of a page', '$ versions contact').action(runner.onPage(versions));
  forPage(program, 'rollback', 'Make an older version of a page live', '$ rollback contact', '$ rollback contact 3')
    .argument('[version]', 'number of the version (the one before the live one)')
    .action(runner.onPage(rollback));
  forPage(program, 'delete', 'Take a page offline, and move it to the trash', '$ delete contact --yes')
    .option('--yes', 'do not ask')
    .action(runner.onPage(remove));
  const deleted = program.command('trash').description('Bring deleted pages back');
  declare(deleted, 'list', 'List your deleted pages', '$ trash list').action(runner.run(trash.list));
  declare(deleted, 'restore', 'Make a deleted page live again', '$ trash restore contact')
    .argument('<id>', `${ID}; of several with this slug, the last deleted`)
    .option('--slug <slug>', 'another slug, where its own is taken')
    .action(runner.run(trash.restore));
}

function declareSubmissionCommands(program: Command, runner: Runner): void {
  program.commandsGroup('Submissions:');
  forPage(program, 'tail', 'Show submissions as they come, until Ctrl-C', '$ tail contact', '$ tail contact --after 0')
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .action(runner.onPage(tail));
  forPage(
    program,
    'search',
    'Find submissions by a text in them',
    'With --json there is a line for each answer of the API.',
    '$ search contact ada@example.org',
    '$ search contact "" --unread --from 2026-11-01',
  )
    .argument('<query>', 'text to find, in any case; "" finds all')
    .option('--from <time>', 'received from this time or day on')
    .option('--to <time>', 'received before this time or day')
    .option('--unread', 'only what is not marked as read')
    .option('--starred', 'only what has a star')
    .action(runner.onPage(search));
  declareExport(program, runner);
  forPage(program, 'stats', 'Count submissions by day or hour', '$ stats contact --by hour --tz Europe/Berlin')
    .option('--from <time>', 'from this time or day on (30 days ago)')
    .option('--to <time>', 'before this time or day')
    .addOption(new Option('--by <unit>', 'day or hour').choices(['day', 'hour'] as const))
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (UTC)')
    .action(runner.onPage(stats));
  const spamGroup = program.command('spam').description('Submissions that were kept apart as spam');
  forPage(spamGroup, 'list', 'List the spam of a page, with the reasons', '$ spam list contact').action(
    runner.onPage(spam.list),
  );
  forPage(spamGroup, 'release', 'Accept a submission that is no spam', '$ spam release contact sub_0Vbb…')
    .argument('<submission>', 'id of the submission')
    .action(runner.onPage(spam.release));
  const files = program.command('files').description('Get the files that visitors have sent');
  declare(
    files,
    'get',
    'Get a file of a submission',
    '$ files get /submissions/d_0Vbb…/sub_0Vbb…/files/file_0Vbb… --output cv.pdf',
  )
    .argument('<url>', 'the url that the submission has for the file')
    .option('--output <file>', 'write this file, when all has arrived; - is standard output')
    .action(runner.run(getFile));
}

function declareExport(program: Command, runner: Runner): void {
  forPage(
    program,
    'export',
    'Get all submissions as a file',
    '--json is the same as --format ndjson. After a broken connection ndjson goes on where it was; csv and xlsx fail.',
    '$ export contact --format csv --output contact.csv',
    '$ export contact --format ndjson | jq -r .data.email',
  )
    .addOption(new Option('--format <format>', 'csv, ndjson or xlsx').choices(['csv', 'ndjson', 'xlsx'] as const))
    .option('--output <file>', 'write this file, when all has arrived; - is standard output')
    .option('--labels', 'labels of the form in the header row, instead of names (csv and xlsx)')
    .action(async (id, { json, format, ...options }) => {
      if (json && format !== undefined && format !== 'ndjson')
        throw new UsageError(`--json cannot be ${format}: leave one of them out`);
      const chosen = format ?? (json ? 'ndjson' : undefined);
      if (chosen === undefined) throw new UsageError('--format is needed: csv, ndjson or xlsx');
      await runner.onPage(exportSubmissions)(id, { ...options, format: chosen });
    });
}

function declareWebhookCommands(program: Command, runner: Runner): void {
  program.commandsGroup('Other programs:');
  const group = program.command('webhooks').description('Send submissions to other programs');
  forPage(group, 'add', 'Add a webhook, and print its id', '$ webhooks add contact https://example.org/hook')
    .argument('<url>', 'where submissions are sent')
    .addOption(new Option('--type <type>', 'generic or slack').choices(['generic', 'slack'] as const))
    .addOption(new Option('--events <event...>', 'what is sent (all)').choices(EVENTS))
    .action(runner.run(webhooks.addWebhook));
  forPage(group, 'list', 'List the webhooks of a page', '$ webhooks list contact').action(
    runner.run(webhooks.listWebhooks),
  );

  /** Declares a command about one webhook. */
  const declareOne = (name: string, description: string, more = '') =>
    forPage(group, name, description, `$ webhooks ${name} contact wh_0Vbb…${more}`).argument(
      '<webhook>',
      'id of the webhook',
    );
  declareOne('test', 'Send a sample submission, and wait for its outcome').action(runner.run(webhooks.testWebhook));
  declareOne('log', 'List the deliveries of a webhook, newest first')
    .addOption(new Option('--limit <number>', `how many, at most ${maxLimit}`).argParser(readLimit).default(20))
    .action(runner.run(webhooks.showLog));
  declareOne('retry', 'Send a delivery again', ' dl_0Vbb…')
    .argument('<delivery>', 'id of the delivery')
    .action(runner.run(webhooks.retryDelivery));
  declareOne('secret', 'Print the secret that signs what is sent')
    .option('--rotate', 'make a new one; for 24 hours the old one signs as well')
    .action(runner.run(webhooks.showSecret));
  declareOne('disable', 'Send nothing for a time').action(runner.run(webhooks.disable));
  declareOne('enable', 'Send again').action(runner.run(webhooks.enable));
  declareOne('remove', 'Remove a webhook').action(runner.run(webhooks.removeWebhook));
}

function readLimit(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new UsageError(`--limit is a number from 1 to ${maxLimit}`);
}

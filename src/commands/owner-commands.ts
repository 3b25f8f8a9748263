import { type Command, Option } from '@commander-js/extra-typings';
import { EVENTS } from '../lib/events.ts';
import { SIZES } from '../limits.ts';
import { UsageError } from './command-error.ts';
import { declare } from './declare.ts';
import { readAccount } from './owner/account.ts';
import type { Service } from './owner/service.ts';

/*
 * The commands of owners: they use the API. A command's code is loaded when it runs, so that help does not wait for it.
 */

/** The service that the user is logged in at. */
async function service(): Promise<Service> {
  const { Service: OwnersService } = await import('./owner/service.ts');
  return new OwnersService(await readAccount(process.env));
}

const { maxLimit } = SIZES.list;
const ID = 'id of the page, or its slug';
const FILE = 'an HTML file, or - for standard input';

export function declareOwnerCommands(program: Command): void {
  program.commandsGroup('Pages and submissions:');
  declare(
    program,
    'login',
    'Store the address of a service and your API key',
    'The key is asked for without showing it, or read from standard input. Programs set FORMHOST_URL and FORMHOST_KEY instead.',
    '$ login https://forms.example.org',
    '$ login https://forms.example.org < key.txt',
  )
    .argument('[url]', 'address of the service (asked for on a terminal)')
    .action(async (url, options) => (await import('./owner/login.ts')).login(url, options));
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
    .option('--id <id>', 'update this page (id or slug), and remember it for the file')
    .option('--new', 'publish another page, and remember it for the file')
    .option('--watch', 'update at every change of the file, until Ctrl-C')
    .action(async (file, options) => (await import('./owner/deploy.ts')).deploy(await service(), file, options));
  declare(
    program,
    'check',
    "Find what would keep a page's forms from arriving",
    'The exit code is 1 if there is an error.',
    '$ check contact.html',
    '$ check - --json < contact.html',
  )
    .argument('<file>', FILE)
    .action(async (file, options) => (await import('./owner/check.ts')).check(await service(), file, options));
  declare(program, 'list', 'List your pages', '$ list', '$ list | cut -f1').action(async (options) =>
    (await import('./owner/list.ts')).list(await service(), options),
  );
  declare(program, 'open', 'Print the address of a page; on a terminal, open it in a browser', '$ open contact')
    .argument('<id>', ID)
    .action(async (id, options) => (await import('./owner/open.ts')).open(await service(), id, options));
  declareSubmissionCommands(program);
  declare(program, 'rollback', 'Make an older version of a page live', '$ rollback contact', '$ rollback contact 3')
    .argument('<id>', ID)
    .argument('[version]', 'number of the version (the one before the live one)')
    .action(async (id, version, options) =>
      (await import('./owner/rollback.ts')).rollback(await service(), id, version, options),
    );
  declare(program, 'delete', 'Take a page offline, and move it to the trash', '$ delete contact --yes')
    .argument('<id>', ID)
    .option('--yes', 'do not ask')
    .action(async (id, options) => (await import('./owner/remove.ts')).remove(await service(), id, options));
  declareWebhookCommands(program);
}

function declareSubmissionCommands(program: Command): void {
  declare(program, 'tail', 'Show submissions as they come, until Ctrl-C', '$ tail contact', '$ tail contact --after 0')
    .argument('<id>', ID)
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .action(async (id, options) => (await import('./owner/tail.ts')).tail(await service(), id, options));
  declare(
    program,
    'search',
    'Find submissions by a text in them',
    'With --json there is a line for each answer of the API.',
    '$ search contact ada@example.org',
    '$ search contact "" --unread --from 2026-11-01',
  )
    .argument('<id>', ID)
    .argument('<query>', 'text to find, in any case; "" finds all')
    .option('--from <time>', 'received from this time or day on')
    .option('--to <time>', 'received before this time or day')
    .option('--unread', 'only what is not marked as read')
    .option('--starred', 'only what has a star')
    .action(async (id, query, options) =>
      (await import('./owner/search.ts')).search(await service(), id, query, options),
    );
  declare(
    program,
    'export',
    'Get all submissions as a file',
    '--json is the same as --format ndjson. After a broken connection ndjson goes on where it was; csv and xlsx fail.',
    '$ export contact --format csv --output contact.csv',
    '$ export contact --format ndjson | jq -r .data.email',
  )
    .argument('<id>', ID)
    .addOption(new Option('--format <format>', 'csv, ndjson or xlsx').choices(['csv', 'ndjson', 'xlsx'] as const))
    .option('--output <file>', 'write this file, when all has arrived; - is standard output')
    .option('--labels', 'labels of the form in the header row, instead of names (csv and xlsx)')
    .action(async (id, { json, format, ...options }) => {
      if (json && format !== undefined && format !== 'ndjson')
        throw new UsageError(`--json cannot be ${format}: leave one of them out`);
      const chosen = format ?? (json ? 'ndjson' : undefined);
      if (chosen === undefined) throw new UsageError('--format is needed: csv, ndjson or xlsx');
      const { exportSubmissions } = await import('./owner/export.ts');
      await exportSubmissions(await service(), id, { ...options, format: chosen });
    });
  declare(program, 'stats', 'Count submissions by day or hour', '$ stats contact --by hour --tz Europe/Berlin')
    .argument('<id>', ID)
    .option('--from <time>', 'from this time or day on (30 days ago)')
    .option('--to <time>', 'before this time or day')
    .addOption(new Option('--by <unit>', 'day or hour').choices(['day', 'hour'] as const))
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (UTC)')
    .action(async (id, options) => (await import('./owner/stats.ts')).stats(await service(), id, options));
}

function declareWebhookCommands(program: Command): void {
  const WEBHOOK = 'id of the webhook';
  const load = () => import('./owner/webhooks.ts');
  const webhooks = program.command('webhooks').description('Send submissions to other programs');
  declare(webhooks, 'add', 'Add a webhook, and print its id', '$ webhooks add contact https://example.org/hook')
    .argument('<id>', ID)
    .argument('<url>', 'where submissions are sent')
    .addOption(new Option('--type <type>', 'generic or slack').choices(['generic', 'slack'] as const))
    .addOption(new Option('--events <event...>', 'what is sent (all)').choices(EVENTS))
    .action(async (id, url, options) => (await load()).addWebhook(await service(), id, url, options));
  declare(webhooks, 'list', 'List the webhooks of a page', '$ webhooks list contact')
    .argument('<id>', ID)
    .action(async (id, options) => (await load()).listWebhooks(await service(), id, options));
  declare(webhooks, 'test', 'Send a sample submission, and wait for its outcome', '$ webhooks test contact wh_0Vbb…')
    .argument('<id>', ID)
    .argument('<webhook>', WEBHOOK)
    .action(async (id, webhook, options) => (await load()).testWebhook(await service(), id, webhook, options));
  declare(webhooks, 'log', 'List the deliveries of a webhook, newest first', '$ webhooks log contact wh_0Vbb…')
    .argument('<id>', ID)
    .argument('<webhook>', WEBHOOK)
    .addOption(new Option('--limit <number>', `how many, at most ${maxLimit}`).argParser(readLimit).default(20))
    .action(async (id, webhook, options) => (await load()).showLog(await service(), id, webhook, options));
  declare(webhooks, 'retry', 'Send a delivery again', '$ webhooks retry contact wh_0Vbb… dl_0Vbb…')
    .argument('<id>', ID)
    .argument('<webhook>', WEBHOOK)
    .argument('<delivery>', 'id of the delivery')
    .action(async (id, webhook, delivery, options) =>
      (await load()).retryDelivery(await service(), id, webhook, delivery, options),
    );
}

function readLimit(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new UsageError(`--limit is a number from 1 to ${maxLimit}`);
}

import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { SIZES } from '../sizes.ts';
import { declare } from './declare.ts';

/*
 * The commands of operators: they use the settings and the database of the service. A command's code is loaded when it runs.
 */

/** A file that is named on the command line. bin/formhost runs commands in the project's folder, wherever it was called. */
const fileOf = (file: string): string =>
  file === '-' || process.env.FORMHOST_HOME === undefined ? file : resolve(file);

export function declareOperatorCommands(program: Command): void {
  program.commandsGroup('For operators, on the machine of the service:');
  program.command('start').description('Start the service');
  const admin = program.command('admin').description('Keys, owners, pages of all owners, backups, and more');
  declareKeys(admin);
  declareOwners(admin);
  declareDeployments(admin);
  declare(admin, 'backup', 'Back the database up', '$ admin backup formhost.backup')
    .argument('<file>', 'a new file, or - for standard output', fileOf)
    .action(async (file, options) => (await import('./backup.ts')).backup(file, options));
  declare(admin, 'restore', 'Restore a backup into an empty database', '$ admin restore formhost.backup')
    .argument('<file>', 'the backup, or - for standard input', fileOf)
    .action(async (file, options) => (await import('./restore.ts')).restoreFrom(file, options));
  declareFiles(admin);
  declare(admin, 'doctor', 'Check settings, database, DNS, TLS, mail and more', '$ admin doctor').action(
    async (options) => (await import('./doctor.ts')).doctor(options),
  );
  declare(admin, 'mail-test', 'Send a test mail', '$ admin mail-test you@example.com')
    .argument('<address>', 'the recipient')
    .action(async (address, options) => (await import('./mail-test.ts')).sendTestMail(address, options));
}

function declareKeys(admin: Command): void {
  const load = () => import('./keys.ts');
  const keys = admin.command('keys').description('Make, list and revoke API keys');
  declare(
    keys,
    'create',
    'Make a key and print it; a new address makes an owner',
    '$ admin keys create --email a@example.org',
  )
    .requiredOption('--email <address>', 'the owner, such as you@example.com')
    .option('--plan <name>', 'plan of the owner, one of PLAN_LIMITS (a new owner: unlimited)')
    .option('--name <name>', `name of the key, 1 to ${SIZES.apiKey.maxNameChars} characters`)
    .addOption(
      new Option('--scope <scope>', 'what the key may do').choices(['full', 'read'] as const).default('full' as const),
    )
    .option('--expires <time>', 'when the key ends, such as 2027-01-01T00:00:00Z')
    .action(async (options) => (await load()).createKey(options));
  declare(keys, 'list', 'List all keys, revoked ones too', '$ admin keys list').action(async (options) =>
    (await load()).list(options),
  );
  declare(keys, 'revoke', 'End a key', '$ admin keys revoke key_0Vbb…')
    .argument('<key-id>', 'id of the key, as `admin keys list` shows it')
    .action(async (id, options) => (await load()).revoke(id, options));
}

function declareOwners(admin: Command): void {
  const load = () => import('./owners.ts');
  const EMAIL = 'address of the owner';
  const owners = admin.command('owners').description('List owners, change plans and addresses');
  declare(owners, 'list', 'List all owners with plan and number of live pages', '$ admin owners list').action(
    async (options) => (await load()).list(options),
  );
  declare(owners, 'set-plan', 'Put an owner on another plan', '$ admin owners set-plan you@example.com pro')
    .argument('<email>', EMAIL)
    .argument('<plan>', 'one of PLAN_LIMITS')
    .action(async (email, plan, options) => (await load()).setPlan(email, plan, options));
  declare(
    owners,
    'set-email',
    'Give an owner another address',
    '$ admin owners set-email you@example.com me@example.com',
  )
    .argument('<email>', EMAIL)
    .argument('<new-email>', 'an address that no owner has')
    .action(async (email, newEmail, options) => (await load()).setEmail(email, newEmail, options));
}

function declareDeployments(admin: Command): void {
  const load = () => import('./deployments.ts');
  const SLUG_OR_ID = 'id of the page, or the slug of a live one';
  const ID = 'id of the page';
  const deployments = admin.command('deployments').description('Take pages down, restore, export and purge');
  declare(deployments, 'list', 'List the pages of all owners', '$ admin deployments list --taken-down')
    .addOption(new Option('--taken-down', 'only what is taken down').conflicts('deleted'))
    .option('--deleted', 'only what its owner has deleted')
    .option('--owner <email>', 'only the pages of this owner')
    .action(async (options) => (await load()).list(options));
  declare(
    deployments,
    'take-down',
    'Answer 451 in place of a page, and accept no submissions',
    '$ admin deployments take-down contact --reason "phishing, reported on Monday"',
  )
    .argument('<id>', SLUG_OR_ID)
    .requiredOption('--reason <why>', 'for operators; visitors do not see it')
    .action(async (id, options) => (await load()).takeDown(id, options));
  declare(deployments, 'restore', 'Put up again what was taken down', '$ admin deployments restore contact')
    .argument('<id>', SLUG_OR_ID)
    .action(async (id, options) => (await load()).restore(id, options));
  declare(
    deployments,
    'export',
    'Print everything about a page, one JSON object in each line, or write it to a new file',
    '$ admin deployments export d_0Vbb… contact.ndjson',
  )
    .argument('<id>', ID)
    .argument('[file]', 'a new file', fileOf)
    .action(async (id, file, options) => (await load()).exportAll(id, file, options));
  declare(deployments, 'undelete', 'Bring back what its owner has deleted', '$ admin deployments undelete d_0Vbb…')
    .argument('<id>', ID)
    .option('--slug <slug>', 'another slug, where its own is taken')
    .action(async (id, options) => (await load()).undelete(id, options));
  declare(deployments, 'purge', 'Delete for good what its owner has deleted', '$ admin deployments purge d_0Vbb…')
    .argument('<id>', ID)
    .action(async (id, options) => (await load()).purge(id, options));
}

function declareFiles(admin: Command): void {
  const load = () => import('./files.ts');
  const files = admin.command('files').description('Move files of submissions to an S3 bucket, or back');
  declare(files, 'status', 'Count the files in the database and in the bucket', '$ admin files status').action(
    async (options) => (await load()).status(options),
  );
  declare(
    files,
    'move',
    'Move the content of all files; run it again where it stopped',
    '$ admin files move --to bucket',
  )
    .addOption(
      new Option('--to <place>', 'where it goes').choices(['bucket', 'database'] as const).makeOptionMandatory(),
    )
    .action(async (options) => (await load()).move(options));
  declare(
    files,
    'claim',
    'Take the prefix of FILES_URL from an installation that is gone',
    '$ admin files claim',
  ).action(async (options) => (await load()).claim(options));
}

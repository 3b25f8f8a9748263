import { type Command, Option } from '@commander-js/extra-typings';
import { type Connect, Service } from './owner/api-requests.ts';
import { declareCheck } from './owner/check-commands.ts';
import { declareDeploy } from './owner/deploy-commands.ts';
import { declareExport, declareFiles } from './owner/export-commands.ts';
import { declareImport } from './owner/import-commands.ts';
import { declareListen } from './owner/listen-commands.ts';
import { declareLogin, declareLogout, declareWhoami } from './owner/login-commands.ts';
import { declareOpen, declareRemove, declareRename } from './owner/page-commands.ts';
import { declarePublish } from './owner/publish-commands.ts';
import { declarePull } from './owner/pull-commands.ts';
import { declareSettings } from './owner/settings-commands.ts';
import { declareSiteFiles } from './owner/site-files.ts';
import { readAccount, readService } from './owner/stored-account.ts';
import { declareTail } from './owner/tail-commands.ts';
import { declareRollback } from './owner/version-commands.ts';
import { declareTest } from './owner/webhook-commands.ts';

/**
 * Declares the commands of owners, in the order of the help: they use the API. `group` and `one` are commands that operations declare;
 * loading the declarations takes time, so it is done for those that `words` call. All others are written by hand.
 */
export async function declareOwnerCommands(program: Command, words: readonly string[]): Promise<void> {
  const common = program.addOption(
    new Option('--profile <name>', 'which of several services to use: the name under which login stored it').env(
      'FORMHOST_PROFILE',
    ),
  );
  const profile = (): string | undefined => common.opts().profile || undefined;
  const loadOperations = () => import('./owner/operations.ts');
  const loadCommands = async () => (await loadOperations()).commandFor;
  const connect: Connect = async (fieldNames = {}) =>
    new Service(await readAccount(process.env, profile()), { fieldNames, loadCommands });
  const group = async (name: string, text: string): Promise<Command> =>
    words.includes(name)
      ? (await loadOperations()).declareCommands(program, name, text, connect)
      : program.command(name).description(text);
  const one = async (usage: string, text: string): Promise<unknown> => {
    const [name = ''] = usage.split(' ');
    return words.includes(name) ? group(name, text) : program.command(usage).description(text);
  };

  program.commandsGroup('Your account:');
  declareLogin(program, profile);
  declareLogout(program, profile);
  declareWhoami(program, connect);
  await group('me', 'Your time zone and your e-mail address');
  await group('keys', 'Make, list and revoke your API keys');
  await group('sessions', 'Browsers that are signed in');
  await one('audit', 'List who has changed what');
  await group('grants', 'Programs that you have allowed to act for you');

  program.commandsGroup('Pages:');
  declareDeploy(program, connect);
  declarePublish(
    program,
    async (fieldNames = {}) => new Service(await readService(process.env, profile()), { fieldNames, loadCommands }),
  );
  await one('claim <token>', 'Keep a page that was published without a key');
  declareCheck(program, connect);
  await one('list', 'List your pages');
  await one('overview', 'See all your pages at a glance');
  declareOpen(program, connect);
  declareRename(program, connect);
  declarePull(program, connect);
  await group('page', 'The state, the forms and the HTML of a page');
  declareSiteFiles(await group('site', 'The files of a page, one by one'), connect);
  declareSettings(program, connect);
  await group('guests', 'People whom you let read or edit a page');
  await group('domains', 'Domains of your own, which lead to a page');
  await one('versions <id>', 'List the versions of a page');
  declareRollback(program, connect);
  declareRemove(program, connect);
  await group('trash', 'Bring deleted pages back');

  program.commandsGroup('Submissions:');
  declareTail(program, connect);
  await one('search <id> <query>', 'Find submissions by a text in them');
  await one('inbox [query]', 'Find submissions of all your pages');
  declareExport(program, connect);
  await group('feeds', 'Secret addresses at which spreadsheets read submissions');
  await group('shares', 'Secret addresses at which people read submissions');
  await one('stats <id>', 'Count submissions by day or hour');
  declareImport(await group('submissions', 'Show, mark, import and delete submissions'), connect);
  await group('spam', 'Submissions that were kept apart as spam');
  declareFiles(program, connect);

  program.commandsGroup('Mail and other programs:');
  await group('mails', 'Mail about submissions: what was sent, and a test');
  const webhooks = await group('webhooks', 'Send submissions to other programs');
  declareTest(webhooks, connect);
  declareListen(webhooks, connect);
}

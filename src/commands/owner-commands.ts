import { type Command, Option } from '@commander-js/extra-typings';
import { readAccount } from './owner/account.ts';
import { declareCheck } from './owner/check.ts';
import { declareDeploy } from './owner/deploy.ts';
import { declareDomains } from './owner/domains.ts';
import { declareExport, declareFiles } from './owner/export.ts';
import { declareKeys } from './owner/keys.ts';
import { declareLogin, declareLogout, declareWhoami } from './owner/login.ts';
import { declareList, declareOpen, declareRemove } from './owner/pages.ts';
import { declarePull } from './owner/pull.ts';
import { declareSearch } from './owner/search.ts';
import { Service } from './owner/service.ts';
import { declareSettings } from './owner/settings.ts';
import { declareSpam } from './owner/spam.ts';
import { declareStats } from './owner/stats.ts';
import { declareTail } from './owner/tail.ts';
import { declareTrash } from './owner/trash.ts';
import { declareRollback, declareVersions } from './owner/versions.ts';
import { declareWebhooks } from './owner/webhooks.ts';

/** Declares the commands of owners, in the order of the help: they use the API. */
export function declareOwnerCommands(program: Command): void {
  const common = program.addOption(
    new Option('--profile <name>', 'which of several services to use: the name under which login stored it').env(
      'FORMHOST_PROFILE',
    ),
  );
  const profile = (): string | undefined => common.opts().profile || undefined;
  const connect = async (): Promise<Service> => new Service(await readAccount(process.env, profile()));

  program.commandsGroup('Your account:');
  declareLogin(program, profile);
  declareLogout(program, profile);
  for (const declareCommand of [declareWhoami, declareKeys]) declareCommand(program, connect);

  program.commandsGroup('Pages:');
  const pages = [declareDeploy, declareCheck, declareList, declareOpen, declarePull, declareSettings, declareDomains];
  const history = [declareVersions, declareRollback, declareRemove, declareTrash];
  for (const declareCommand of [...pages, ...history]) declareCommand(program, connect);

  program.commandsGroup('Submissions:');
  const submissions = [declareTail, declareSearch, declareExport, declareStats, declareSpam, declareFiles];
  for (const declareCommand of submissions) declareCommand(program, connect);

  program.commandsGroup('Other programs:');
  declareWebhooks(program, connect);
}

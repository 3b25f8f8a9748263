import type { Command } from '@commander-js/extra-typings';
import { declareBackup } from './backup-commands.ts';
import { declareDeployments } from './deployment-commands.ts';
import { declareDoctor } from './doctor-commands.ts';
import { declareFiles } from './file-commands.ts';
import { declareMailTest } from './mail-test-commands.ts';
import { declareKeys } from './operator-key-commands.ts';
import { declareOwners } from './owner-account-commands.ts';
import { declareRestore } from './restore-commands.ts';

/** Declares the commands of operators, in the order of the help: they use the settings and the database of the service. */
export function declareOperatorCommands(admin: Command): void {
  const commands = [declareKeys, declareOwners, declareDeployments, declareBackup, declareRestore, declareFiles];
  for (const declareCommand of [...commands, declareDoctor, declareMailTest]) declareCommand(admin);
}

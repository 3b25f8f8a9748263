import type { Command } from '@commander-js/extra-typings';
import { declareBackup } from './backup.ts';
import { declareDeployments } from './deployments.ts';
import { declareDoctor } from './doctor.ts';
import { declareFiles } from './files.ts';
import { declareKeys } from './keys.ts';
import { declareMailTest } from './mail-test.ts';
import { declareOwners } from './owners.ts';
import { declareRestore } from './restore.ts';

/** Declares the commands of operators, in the order of the help: they use the settings and the database of the service. */
export function declareOperatorCommands(admin: Command): void {
  const commands = [declareKeys, declareOwners, declareDeployments, declareBackup, declareRestore, declareFiles];
  for (const declareCommand of [...commands, declareDoctor, declareMailTest]) declareCommand(admin);
}

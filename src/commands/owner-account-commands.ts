import type { Command } from '@commander-js/extra-typings';
import { actingAsOperator } from '../db/account/audit-queries.ts';
import { changeAccount, findAccountId } from '../db/account/operator-queries.ts';
import { beginOwnerDeletion, finishOwnerDeletions } from '../db/account/owner-deletion-queries.ts';
import { changeEmail, changePlan, listOwners } from '../db/account/owner-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { CommandError } from './command-error.ts';
import { declare } from './declare.ts';
import { checkPlan, mailAddress, noSuchOwner, onDatabase, ownerAddress } from './operator.ts';
import { printResult, printRows } from './output.ts';

export function declareOwners(admin: Command): void {
  const EMAIL = ['<email>', 'address of the owner', ownerAddress] as const;
  const owners = admin.command('owners').description('List owners, change plans and addresses');
  declare(owners, 'list', 'List all owners with plan and number of live pages', '$ admin owners list').action(
    (output) => onDatabase((db) => printRows(['email', 'plan', 'createdAt', 'deployments'], listOwners(db), output)),
  );
  declare(owners, 'set-plan', 'Put an owner on another plan', '$ admin owners set-plan you@example.com pro')
    .argument(...EMAIL)
    .argument('<plan>', 'one of PLAN_LIMITS')
    .action((email, plan, output) =>
      onDatabase(
        async (db) => {
          if (!(await changePlan(actingAsOperator(db, 'owner.plan'), email, plan))) throw noSuchOwner(email);
          await printResult({ message: `${email} is on the plan ${plan}`, email, plan }, output);
        },
        (config) => checkPlan(plan, config),
      ),
    );
  const example = '$ admin owners set-email you@example.com me@example.com';
  declare(owners, 'set-email', 'Give an owner another address', example)
    .argument(...EMAIL)
    .argument('<new-email>', 'an address that no owner has', (text) => mailAddress(text).toLowerCase())
    .action((email, newEmail, output) =>
      onDatabase(async (db) => {
        const changed = await changeEmail(actingAsOperator(db, 'account.change'), email, newEmail);
        if (changed === 'taken') throw new CommandError(`${newEmail} is an owner already: choose another address`);
        if (changed === 'no-owner') throw noSuchOwner(email);
        await printResult({ message: `${email} is ${newEmail} now`, email: newEmail }, output);
      }),
    );
  declareSuspensions(owners);
}

/** The number of an owner; a CommandError where there is none with this address. */
async function ownerWith(db: Database, email: string): Promise<number> {
  const id = await findAccountId(db, email);
  if (id === undefined) throw noSuchOwner(email);
  return id;
}

function declareSuspensions(owners: Command): void {
  const EMAIL = ['<email>', 'address of the owner', ownerAddress] as const;
  const changes = [
    ['suspend', 'Take all pages of an owner offline, and refuse its keys', true, 'is suspended'],
    ['resume', 'Undo suspend: all is as it was', false, 'is not suspended any more'],
  ] as const;
  for (const [name, text, suspended, outcome] of changes) {
    declare(owners, name, text, `$ admin owners ${name} you@example.com`)
      .argument(...EMAIL)
      .action((email, output) =>
        onDatabase(async (db) => {
          const id = await ownerWith(db, email);
          const action = suspended ? 'owner.suspend' : 'owner.resume';
          await changeAccount(actingAsOperator(db, action), id, { suspended });
          await printResult({ message: `${email} ${outcome}`, email, suspended }, output);
        }),
      );
  }
  const example = '$ admin owners delete you@example.com --yes';
  declare(owners, 'delete', 'Delete an owner with all pages, submissions and files', example)
    .argument(...EMAIL)
    .option('--yes', 'do it: nothing of it can be restored')
    .action((email, { yes, ...output }) =>
      onDatabase(async (db) => {
        const id = await ownerWith(db, email);
        if (!yes) throw new CommandError(`add --yes to delete ${email} with all pages, submissions and files`);
        await beginOwnerDeletion(actingAsOperator(db, 'owner.delete'), id);
        await finishOwnerDeletions(db);
        await printResult({ message: `${email} is deleted`, email }, output);
      }),
    );
}

import type { Command } from '@commander-js/extra-typings';
import { actingAsOperator } from '../db/account/audit-queries.ts';
import { changeEmail, changePlan, listOwners } from '../db/account/owner-queries.ts';
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
}

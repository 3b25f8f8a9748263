import { changeEmail, changePlan, listOwners } from '../db/account/owners.ts';
import { isMailAddress } from '../lib/mail-address.ts';
import { CommandError } from './command-error.ts';
import { checkPlan, noSuchOwner, onDatabase } from './operator.ts';
import { type Output, printResult, printRows } from './output.ts';

export const list = (output: Output): Promise<void> =>
  onDatabase((db) => printRows(['email', 'plan', 'createdAt', 'deployments'], listOwners(db), output));

export function setPlan(address: string, plan: string, output: Output): Promise<void> {
  const email = address.toLowerCase();
  return onDatabase(
    async (db) => {
      if (!(await changePlan(db, email, plan))) throw noSuchOwner(email);
      await printResult({ message: `${email} is on the plan ${plan}`, email, plan }, output);
    },
    (config) => checkPlan(plan, config),
  );
}

export function setEmail(address: string, newAddress: string, output: Output): Promise<void> {
  const [email, newEmail] = [address.toLowerCase(), newAddress.toLowerCase()];
  if (!isMailAddress(newEmail)) {
    throw new CommandError(`${newEmail} is not an e-mail address: give one such as you@example.com`);
  }
  return onDatabase(async (db) => {
    const changed = await changeEmail(db, email, newEmail);
    if (changed === 'taken') throw new CommandError(`${newEmail} is an owner already: choose another address`);
    if (changed === 'no-owner') throw noSuchOwner(email);
    await printResult({ message: `${email} is ${newEmail} now`, email: newEmail }, output);
  });
}

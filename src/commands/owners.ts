import { parseArgs } from 'node:util';
import { type Config, isMailAddress } from '../config.ts';
import { changeEmail, changePlan, listOwners } from '../db/account/owners.ts';
import { action, type Command, checkPlan, listing, runCommand } from './command.ts';
import { CommandError, UsageError } from './command-error.ts';

const USAGE = `usage: npm run --silent owners -- list [--json]
       npm run --silent owners -- set-plan EMAIL PLAN [--json]
       npm run --silent owners -- set-email EMAIL NEW_EMAIL [--json]`;

const noSuchOwner = (email: string): CommandError =>
  new CommandError(`there is no owner ${email}: \`owners list\` shows them`);

const list = listing(['email', 'plan', 'created_at', 'deployments'], async function* (db) {
  for await (const { email, plan, createdAt, liveDeployments } of listOwners(db)) {
    yield { email, plan, created_at: createdAt, deployments: liveDeployments };
  }
});

function setPlan(email: string, plan: string, config: Config): Command {
  checkPlan(plan, config);
  return action(async (db) => {
    if (!(await changePlan(db, email, plan))) throw noSuchOwner(email);
    const message = `${email} is on the plan ${plan}`;
    return { text: message, json: { message, email, plan } };
  });
}

function setEmail(email: string, newEmail: string): Command {
  if (!isMailAddress(newEmail)) {
    throw new CommandError(`${newEmail} is not an e-mail address: give one such as you@example.com`);
  }
  return action(async (db) => {
    const changed = await changeEmail(db, email, newEmail);
    if (changed === 'taken') throw new CommandError(`${newEmail} is an owner already: choose another address`);
    if (changed === 'no-owner') throw noSuchOwner(email);
    const message = `${email} is ${newEmail} now`;
    return { text: message, json: { message, email: newEmail } };
  });
}

function parse(args: string[], config: Config): Command {
  const [name, email, value, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (name === 'list' && email === undefined) return list;
  if (email !== undefined && value !== undefined && more.length === 0) {
    if (name === 'set-plan') return setPlan(email.toLowerCase(), value, config);
    if (name === 'set-email') return setEmail(email.toLowerCase(), value.toLowerCase());
  }
  throw new UsageError();
}

export const main = (): Promise<void> => runCommand(USAGE, parse);

if (import.meta.main) await main();

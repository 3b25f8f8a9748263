import { parseArgs } from 'node:util';
import { type Config, isMailAddress } from '../config.ts';
import { changeEmail, changePlan, listOwners } from '../db/owners.ts';
import { type Command, CommandError, checkPlan, runCommand } from './command.ts';

const USAGE = `usage: npm run --silent owners -- list
       npm run --silent owners -- set-plan EMAIL PLAN
       npm run --silent owners -- set-email EMAIL NEW_EMAIL`;

const noSuchOwner = (email: string): CommandError =>
  new CommandError(`there is no owner ${email}: \`owners list\` shows them`);

const list: Command = async function* (db) {
  for await (const { email, plan, createdAt, liveDeployments } of listOwners(db)) {
    yield [email, plan, createdAt.toISOString(), liveDeployments].join('\t');
  }
};

function setPlan(email: string, plan: string, config: Config): Command {
  checkPlan(plan, config);
  return async function* (db) {
    if (!(await changePlan(db, email, plan))) throw noSuchOwner(email);
    yield `${email} is on the plan ${plan}`;
  };
}

function setEmail(email: string, newEmail: string): Command {
  if (!isMailAddress(newEmail)) {
    throw new CommandError(`${newEmail} is not an e-mail address: give one such as you@example.com`);
  }
  return async function* (db) {
    const changed = await changeEmail(db, email, newEmail);
    if (changed === 'taken') throw new CommandError(`${newEmail} is an owner already: choose another address`);
    if (changed === 'no-owner') throw noSuchOwner(email);
    yield `${email} is ${newEmail} now`;
  };
}

function parse(args: string[], config: Config): Command {
  const [name, email, value, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (name === 'list' && email === undefined) return list;
  if (email !== undefined && value !== undefined && more.length === 0) {
    if (name === 'set-plan') return setPlan(email.toLowerCase(), value, config);
    if (name === 'set-email') return setEmail(email.toLowerCase(), value.toLowerCase());
  }
  throw new CommandError(USAGE);
}

await runCommand(USAGE, parse);

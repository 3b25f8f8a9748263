import { parseArgs } from 'node:util';
import { type Config, isMailAddress } from '../config.ts';
import { createKey, listKeys, revokeKey } from '../db/owners.ts';
import { type Command, CommandError, checkPlan, runCommand } from './command.ts';

const USAGE = `usage: npm run --silent keys -- create --email you@example.com [--plan NAME]
       npm run --silent keys -- list
       npm run --silent keys -- revoke KEY_ID`;

const DEFAULT_PLAN = 'unlimited';

function create(email: string | undefined, plan: string | undefined, config: Config): Command {
  if (email === undefined || !isMailAddress(email)) {
    throw new CommandError('--email is needed: the address of the owner, such as you@example.com');
  }
  checkPlan(plan ?? DEFAULT_PLAN, config);
  return async function* (db) {
    yield await createKey(db, { email, plan, defaultPlan: DEFAULT_PLAN });
  };
}

const list: Command = async function* (db) {
  const show = (time: Date | null): string => time?.toISOString() ?? '-';
  for (const { id, email, plan, createdAt, lastUsedAt, revokedAt } of await listKeys(db)) {
    yield [id, email, plan, show(createdAt), show(lastUsedAt), show(revokedAt)].join('\t');
  }
};

const revoke = (id: string): Command =>
  async function* (db) {
    if (!(await revokeKey(db, id))) throw new CommandError(`there is no key ${id}: \`keys list\` shows their ids`);
    yield `revoked ${id}`;
  };

function parse(args: string[], config: Config): Command {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { email: { type: 'string' }, plan: { type: 'string' } },
  });
  const [name, id, ...more] = positionals;
  if (name === 'create' && id === undefined) return create(values.email, values.plan, config);
  if (values.email === undefined && values.plan === undefined && more.length === 0) {
    if (name === 'list' && id === undefined) return list;
    if (name === 'revoke' && id !== undefined) return revoke(id);
  }
  throw new CommandError(USAGE);
}

await runCommand(USAGE, parse);

import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Config, isMailAddress } from '../config.ts';
import { isOneLine, listKeys, revokeKey, SCOPES } from '../db/account/api-keys.ts';
import { makeKey } from '../db/account/owners.ts';
import { SIZES } from '../limits.ts';
import { action, type Command, checkPlan, listing, runCommand } from './command.ts';
import { CommandError, UsageError } from './command-error.ts';

const USAGE = `usage: npm run --silent keys -- create --email you@example.com [--plan NAME] [--name NAME]
           [--scope ${SCOPES.join('|')}] [--expires 2027-01-01T00:00:00Z] [--json]
       npm run --silent keys -- list [--json]
       npm run --silent keys -- revoke KEY_ID [--json]`;

const DEFAULT_PLAN = 'unlimited';

type Options = { email?: string; plan?: string; name?: string; scope?: string; expires?: string };

function create({ email, plan, name, scope: scopeName = 'full', expires }: Options, config: Config): Command {
  if (email === undefined) throw new UsageError('--email is needed: the address of the owner');
  if (!isMailAddress(email)) {
    throw new CommandError(
      `--email ${JSON.stringify(email)} is not an e-mail address: give one such as you@example.com`,
    );
  }
  checkPlan(plan ?? DEFAULT_PLAN, config);
  if (
    name !== undefined &&
    (name.trim() === '' || Array.from(name).length > SIZES.apiKey.maxNameChars || !isOneLine(name))
  ) {
    throw new CommandError(`--name has 1 to ${SIZES.apiKey.maxNameChars} characters, none of them a control character`);
  }
  const scope = SCOPES.find((one) => one === scopeName);
  if (scope === undefined) throw new CommandError(`there is no scope ${scopeName}: choose ${SCOPES.join(' or ')}`);
  const expiresAt = expires === undefined ? undefined : timeAhead(expires);
  return action(async (db) => {
    const made = await makeKey(db, {
      email,
      plan,
      defaultPlan: DEFAULT_PLAN,
      name,
      scope,
      expiresAt,
      cell: config.cell,
    });
    const { key, id, prefix, createdAt, before } = made;
    const owner = email.toLowerCase();
    const hasChanged = before !== undefined && before.plan !== made.plan;
    return {
      text: key,
      json: {
        ...{ id, name: name ?? null, prefix, scope, created_at: createdAt, expires_at: expiresAt ?? null, key },
        ...{ email: owner, plan: made.plan },
      },
      note: hasChanged ? planChange(owner, before, made.plan) : undefined,
    };
  });
}

/** Reads the time of --expires. Throws a CommandError. */
function timeAhead(text: string): Date {
  if (!z.union([z.iso.datetime({ offset: true }), z.iso.date()]).safeParse(text).success) {
    throw new CommandError('--expires is no time: give one such as 2027-01-01T00:00:00Z, or a day in UTC');
  }
  const time = new Date(text);
  if (time.getTime() <= Date.now()) throw new CommandError('--expires is in the past: give a time in the future');
  return time;
}

/** A plan is the owner's: it changes for the keys that the owner had before as well. */
function planChange(owner: string, before: { plan: string; keys: number }, plan: string): string {
  const keys = before.keys === 1 ? 'the valid key' : `the ${before.keys} valid keys`;
  return `${owner} was on the plan ${before.plan} and is on the plan ${plan} now, with ${keys} made before as well`;
}

const list = listing(
  ['id', 'email', 'plan', 'created_at', 'last_used_at', 'revoked_at', 'prefix', 'name', 'scope', 'expires_at'],
  async function* (db) {
    for await (const { createdAt, lastUsedAt, revokedAt, expiresAt, ...key } of listKeys(db)) {
      yield { ...key, created_at: createdAt, last_used_at: lastUsedAt, revoked_at: revokedAt, expires_at: expiresAt };
    }
  },
);

const revoke = (id: string): Command =>
  action(async (db) => {
    if (!(await revokeKey(db, id))) throw new CommandError(`there is no key ${id}: \`keys list\` shows their ids`);
    const message = `revoked ${id}`;
    return { text: message, json: { message, id } };
  });

function parse(args: string[], config: Config): Command {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      plan: { type: 'string' },
      name: { type: 'string' },
      scope: { type: 'string' },
      expires: { type: 'string' },
    },
  });
  const [name, id, ...more] = positionals;
  if (name === 'create' && id === undefined) return create(values, config);
  if (Object.keys(values).length === 0 && more.length === 0) {
    if (name === 'list' && id === undefined) return list;
    if (name === 'revoke' && id !== undefined) return revoke(id);
  }
  throw new UsageError();
}

export const main = (): Promise<void> => runCommand(USAGE, parse);

if (import.meta.main) await main();

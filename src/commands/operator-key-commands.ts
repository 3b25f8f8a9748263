import { type Command, Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { isOneLine, listKeys, revokeKey, SCOPES } from '../db/account/api-key-queries.ts';
import { actingAsOperator } from '../db/account/audit-queries.ts';
import { makeKey } from '../db/account/owner-queries.ts';
import { SIZES } from '../sizes.ts';
import { CommandError } from './command-error.ts';
import { declare } from './declare.ts';
import { checkPlan, mailAddress, onDatabase } from './operator.ts';
import { printLine, printResult, printRows, say } from './output.ts';

const DEFAULT_PLAN = 'unlimited';
const TIMES = ['createdAt', 'lastUsedAt', 'revokedAt'] as const;
const COLUMNS = ['id', 'email', 'plan', ...TIMES, 'prefix', 'name', 'scope', 'expiresAt'] as const;

export function declareKeys(admin: Command): void {
  const keys = admin.command('keys').description('Make, list and revoke API keys');
  declareCreate(keys);
  declare(keys, 'list', 'List all keys, revoked ones too', '$ admin keys list').action((output) =>
    onDatabase((db) => printRows(COLUMNS, listKeys(db), output)),
  );
  declare(keys, 'revoke', 'End a key', '$ admin keys revoke key_0Vbb…')
    .argument('<key-id>', 'id of the key, as `admin keys list` shows it')
    .action((id, output) =>
      onDatabase(async (db) => {
        if (!(await revokeKey(actingAsOperator(db, 'key.revoke'), id)))
          throw new CommandError(`there is no key ${id}: \`admin keys list\` shows their ids`);
        await printResult({ message: `revoked ${id}`, id }, output);
      }),
    );
}

/** Makes a key, and the owner if there is none with this address. */
function declareCreate(keys: Command): void {
  const example = '$ admin keys create --email a@example.org';
  declare(keys, 'create', 'Make a key and print it; a new address makes an owner', example)
    .requiredOption('--email <address>', 'the owner, such as you@example.com', mailAddress)
    .option('--plan <name>', 'plan of the owner, one of PLAN_LIMITS (a new owner: unlimited)')
    .option('--name <name>', `name of the key, 1 to ${SIZES.apiKey.maxNameChars} characters`, keyName)
    .addOption(new Option('--scope <scope>', 'what the key may do').choices(SCOPES).default('full' as const))
    .option('--expires <time>', 'when the key ends, such as 2027-01-01T00:00:00Z', timeAhead)
    .action(({ email, plan, name, scope, expires, json }) =>
      onDatabase(
        async (db) => {
          const made = await makeKey(actingAsOperator(db, 'key.create'), {
            email,
            plan,
            defaultPlan: DEFAULT_PLAN,
            name,
            scope,
            expiresAt: expires,
          });
          const { key, id, prefix, createdAt, before } = made;
          const owner = email.toLowerCase();
          if (before && before.plan !== made.plan) say(planChange(owner, before, made.plan));
          const shown = {
            ...{ id, name: name ?? null, prefix, scope, created_at: createdAt, expires_at: expires ?? null, key },
            ...{ email: owner, plan: made.plan },
          };
          await printLine(json ? JSON.stringify(shown) : key);
        },
        (config) => checkPlan(plan ?? DEFAULT_PLAN, config),
      ),
    );
}

function keyName(name: string): string {
  if (name.trim() !== '' && Array.from(name).length <= SIZES.apiKey.maxNameChars && isOneLine(name)) return name;
  throw new CommandError(`--name has 1 to ${SIZES.apiKey.maxNameChars} characters, none of them a control character`);
}

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

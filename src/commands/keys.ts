import { z } from 'zod';
import { isOneLine, listKeys, revokeKey } from '../db/account/api-keys.ts';
import { makeKey } from '../db/account/owners.ts';
import { isMailAddress } from '../lib/mail-address.ts';
import { SIZES } from '../sizes.ts';
import { CommandError } from './command-error.ts';
import { checkPlan, onDatabase } from './operator.ts';
import { type Output, printLine, printResult, printRows, say } from './output.ts';

const DEFAULT_PLAN = 'unlimited';

type CreateOptions = Output & {
  email: string;
  plan?: string | undefined;
  name?: string | undefined;
  scope: 'full' | 'read';
  expires?: string | undefined;
};

/** Makes a key, and the owner if there is none with this address. */
export function createKey({ email, plan, name, scope, expires, json }: CreateOptions): Promise<void> {
  checkEmail(email);
  if (name !== undefined) checkName(name);
  const expiresAt = expires === undefined ? undefined : timeAhead(expires);
  return onDatabase(
    async (db, { cell }) => {
      const made = await makeKey(db, { email, plan, defaultPlan: DEFAULT_PLAN, name, scope, expiresAt, cell });
      const { key, id, prefix, createdAt, before } = made;
      const owner = email.toLowerCase();
      if (before && before.plan !== made.plan) say(planChange(owner, before, made.plan));
      const shown = {
        ...{ id, name: name ?? null, prefix, scope, created_at: createdAt, expires_at: expiresAt ?? null, key },
        ...{ email: owner, plan: made.plan },
      };
      await printLine(json ? JSON.stringify(shown) : key);
    },
    (config) => checkPlan(plan ?? DEFAULT_PLAN, config),
  );
}

function checkEmail(email: string): void {
  if (!isMailAddress(email)) {
    throw new CommandError(
      `--email ${JSON.stringify(email)} is not an e-mail address: give one such as you@example.com`,
    );
  }
}

function checkName(name: string): void {
  if (name.trim() === '' || Array.from(name).length > SIZES.apiKey.maxNameChars || !isOneLine(name)) {
    throw new CommandError(`--name has 1 to ${SIZES.apiKey.maxNameChars} characters, none of them a control character`);
  }
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

const TIMES = ['createdAt', 'lastUsedAt', 'revokedAt'] as const;
const COLUMNS = ['id', 'email', 'plan', ...TIMES, 'prefix', 'name', 'scope', 'expiresAt'] as const;

export const list = (output: Output): Promise<void> => onDatabase((db) => printRows(COLUMNS, listKeys(db), output));

export const revoke = (id: string, output: Output): Promise<void> =>
  onDatabase(async (db) => {
    if (!(await revokeKey(db, id)))
      throw new CommandError(`there is no key ${id}: \`admin keys list\` shows their ids`);
    await printResult({ message: `revoked ${id}`, id }, output);
  });

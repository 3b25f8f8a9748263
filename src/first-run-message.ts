import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { FIRST_OWNER } from './lib/mail-address.ts';
import { IS_PACKAGE, PROJECT } from './lib/project.ts';
import type { FirstOwner } from './prepare-database.ts';
import { SIZES } from './sizes.ts';

/** Commands to paste into a shell after the first start: deploy a page, submit its form, read the submission. */
export function tour(baseUrl: string, key: string): string {
  const page =
    '<!doctype html><title>Hello</title><form method=post action={{FORM_ACTION}}><input name=name placeholder=Name><button>Send</button></form>';
  // The answer to the first command has the id that the others need.
  const id = "$(grep -o 'd_[0-9A-Za-z]*' /tmp/formhost.json)";
  return [
    `curl -sw '\\n' ${baseUrl}/deploy -H "Authorization: Bearer ${key}" -H 'Content-Type: text/html' -d '${page}' | tee /tmp/formhost.json`,
    `curl -sw '\\n' "${baseUrl}/submit/${id}" -d name=Ada`,
    `curl -sw '\\n' "${baseUrl}/submissions/${id}" -H "Authorization: Bearer ${key}"`,
  ].join('\n');
}

/** A word as a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The command that sets the address of the first owner. It uses the service's database in any shell. */
function emailCommand(dataDir: string): string {
  const folder = fileURLToPath(PROJECT);
  const settings = resolve(dataDir) === join(folder, 'data') ? '' : `DATA_DIR=${quoted(resolve(dataDir))} `;
  const program = IS_PACKAGE ? 'bin/formhost.js' : 'bin/formhost';
  return `${settings}${quoted(join(folder, program))} admin owners set-email ${FIRST_OWNER} you@example.com`;
}

/** Printed at the very first start. The link is what a person needs first, so it is alone at the end, where a terminal shows it. */
export const firstRunMessage = (
  { baseUrl, dataDir }: Pick<Config, 'baseUrl' | 'dataDir'>,
  { key, signInUrl }: FirstOwner,
): string => `
formhost runs at ${baseUrl}, with its data in ${resolve(dataDir)}.

Your API key, shown only once: ${key}

It signs you in at ${baseUrl}/dashboard later. Or work from a shell. Deploy a page, submit its form, read the submission:

${tour(baseUrl, key)}

Mail about submissions goes to ${FIRST_OWNER}, until you set your own address:

${emailCommand(dataDir)}

Open the dashboard with this link, which works once, for ${SIZES.session.linkMinutes} minutes:

${signInUrl}
`;

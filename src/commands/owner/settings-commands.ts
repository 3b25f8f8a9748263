import type { Command } from '@commander-js/extra-typings';
import { CommandError, UsageError } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { printAnswer, printOutcome, printTable, say } from '../output.ts';
import { type Connect, connectToPage, type Service } from './api-requests.ts';

const readSettings = (service: Service, id: string) =>
  service.answer(service.api.GET('/deploy/{id}/settings', { params: { path: { id } } }));

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A value as it is typed: JSON, otherwise a text. A list may be typed with commas; `null` is an origin there. */
function readValue(text: string, isList: boolean): unknown {
  if (isList && !text.trimStart().startsWith('[')) return text.split(',').filter((part) => part !== '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Pair = { setting: string; value: string };

/** Returns the body of a change. Throws a CommandError where a name is no setting's. */
async function readPairs(pairs: readonly Pair[]): Promise<Record<string, unknown>> {
  // Loaded when settings are changed: the declarations need zod, and other commands start without it.
  const { SETTINGS } = await import('../../settings/settings.ts');
  const declared = new Map(Object.entries(SETTINGS));
  return Object.fromEntries(
    pairs.map(({ setting, value }) => {
      const { first } = declared.get(setting) ?? {};
      if (first === undefined) {
        throw new CommandError(`there is no setting ${setting}: a page has ${[...declared.keys()].join(', ')}`);
      }
      return [setting, readValue(value, Array.isArray(first))];
    }),
  );
}

/** Declares `settings get`, which prints each setting as `settings set` takes it. */
export function declareSettings(program: Command, connect: Connect): void {
  const group = program.command('settings').description('Mail, redirects, spam and more of a page');
  forPage(group, 'get', 'Print all settings of a page', '$ settings get contact').action(async (name, { json }) => {
    const { service, id } = await connectToPage(connect, name);
    const { data, text } = await readSettings(service, id);
    if (json) return await printAnswer(text);
    const { recipients, ...others } = data;
    const rows = Object.entries({ ...others, recipients: recipients.map(({ email }) => email) });
    await printTable(
      ['NAME', 'VALUE'],
      rows.map(([setting, value]) => [setting, shown(value)]),
    );
    const waiting = recipients.flatMap(({ email, confirmed }) => (confirmed ? [] : [email]));
    if (waiting.length > 0) say(`not confirmed yet, and without mail until then: ${waiting.join(', ')}`);
  });
  declareSet(group, connect);
}

const declareSet = (group: Command, connect: Connect): unknown =>
  forPage(
    group,
    'set',
    'Change settings of a page',
    'A value is a text, a list with commas, or JSON. Other settings stay as they are.',
    '$ settings set contact email_notifications=true recipients=ada@example.org,eve@example.org',
    '$ settings set contact redirect_url=https://example.org/thanks retention_days=null',
    `$ settings set contact 'spam={"blocklist":["casino"],"captcha":{"provider":"altcha"}}'`,
  )
    .argument('<name=value...>', 'a setting, as `settings get` names it, and its new value')
    .action(async (name, given, output) => {
      const pairs = given.map((text) => {
        const at = text.indexOf('=');
        if (at < 1) throw new UsageError(`${text} is not a setting with a value: give it as NAME=VALUE`);
        return { setting: text.slice(0, at), value: text.slice(at + 1) };
      });
      const body = await readPairs(pairs);
      const { service, id } = await connectToPage(connect, name);
      const { text } = await service.answer(service.api.PATCH('/deploy/{id}', { params: { path: { id } }, body }));
      await printOutcome(text, id, `changed ${pairs.map(({ setting }) => setting).join(', ')}`, output);
    });

import { CommandError, UsageError } from '../command-error.ts';
import { type Output, printAnswer, printOutcome, printTable, say } from '../output.ts';
import type { Service } from './service.ts';

const readSettings = (service: Service, id: string) =>
  service.answer(service.api.GET('/deploy/{id}/settings', { params: { path: { id } } }));

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Prints the settings of a page, each as `settings set` takes it. */
export async function getSettings(service: Service, id: string, { json }: Output): Promise<void> {
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
}

/** A value as it is typed: JSON, otherwise a text. A list may be typed with commas. */
function readValue(text: string, isList: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return isList && !text.startsWith('[') ? text.split(',').filter((part) => part !== '') : text;
  }
}

/** Changes settings that are given as `name=value`. */
export async function setSettings(
  service: Service,
  id: string,
  given: readonly string[],
  output: Output,
): Promise<void> {
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`${text} is not a setting with a value: give it as NAME=VALUE`);
    return { setting: text.slice(0, at), value: text.slice(at + 1) };
  });
  const now = new Map<string, unknown>(Object.entries((await readSettings(service, id)).data));
  for (const { setting } of pairs) {
    if (now.has(setting)) continue;
    throw new CommandError(`there is no setting ${setting}: a page has ${[...now.keys()].join(', ')}`);
  }
  const body = Object.fromEntries(
    pairs.map(({ setting, value }) => [setting, readValue(value, Array.isArray(now.get(setting)))]),
  );
  const { text } = await service.answer(service.api.PATCH('/deploy/{id}', { params: { path: { id } }, body }));
  await printOutcome(text, id, `changed ${pairs.map(({ setting }) => setting).join(', ')}`, output);
}

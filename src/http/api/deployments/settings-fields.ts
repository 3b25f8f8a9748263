import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { refused } from '../../../problems/refusal.ts';
import {
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  type SettingsChange,
  submissionsPerMinute,
} from '../../../settings/settings.ts';
import { slugField } from './deployment-endpoints.ts';

/*
 * The settings that PATCH takes and GET returns, as src/settings/settings.ts declares them.
 */

type ChangeShape = { [Name in SettingName]: z.ZodExactOptional<(typeof SETTINGS)[Name]['schema']> };
type AnswerShape = { [Name in SettingName]: z.ZodType<Settings[Name]> };

const declared = Object.entries<Setting>(SETTINGS);

/** Returns a schema with what is said about its setting. */
const described = <Schema extends z.ZodType>(schema: Schema, { text, first, short }: Setting): Schema =>
  schema.meta({ description: `${text} At first: \`${JSON.stringify(first)}\`.`, short });

const changeShape: ChangeShape = Object.fromEntries(
  declared.map(([name, setting]): unknown[] => [name, described(setting.schema, setting).exactOptional()]),
);

const answerShape: AnswerShape = Object.fromEntries(
  declared.map(([name, setting]): unknown[] => [name, setting.answer?.schema ?? described(setting.schema, setting)]),
);

export const NEVER_OPEN = '{opens_at} is not before {closes_at}: {send} an earlier {opens_at}, or a later {closes_at}.';

/** PATCH takes any of the settings. */
export function settingsChange({ maxSubmissionsPerMinute, reservedSlugs }: Config) {
  const { submissions_per_minute: setting } = SETTINGS;
  const rate = described(submissionsPerMinute(maxSubmissionsPerMinute), setting).exactOptional();
  const newSlug = slugField(reservedSlugs, 'Another one for the page. It stays when left out.')
    .meta({ short: 'Renames the page. The old address leads to the new one.' })
    .exactOptional();
  return (
    z
      .object({ slug: newSlug, ...changeShape, submissions_per_minute: rate })
      // Also where another field is wrong: the owner reads all errors at once.
      .refine(({ opens_at: opens, closes_at: closes }) => !(Date.parse(`${opens}`) >= Date.parse(`${closes}`)), {
        ...refused('conflict', NEVER_OPEN),
        path: ['opens_at'],
        when: () => true,
      })
  );
}

/** GET returns all of them. */
export const AllSettings = z.strictObject(answerShape).meta({ id: 'Settings' });

export const exampleChange: SettingsChange = Object.fromEntries(
  declared.map(([name, { example }]): unknown[] => [name, example]),
);
export const exampleSettings: Settings = Object.fromEntries(
  declared.map(([name, { example, answer }]): unknown[] => [name, answer?.example ?? example]),
);

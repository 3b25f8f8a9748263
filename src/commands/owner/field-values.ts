import { Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { UsageError } from '../command-error.ts';

/*
 * Fields of requests as options and arguments: how they are written, what help says of them, and what their words mean.
 */

type Schema = z.core.JSONSchema.BaseSchema;

/** A field as help and words need it. `schema`: that of its value, and of each value of a list. */
export type Field = {
  schema: Schema;
  isList: boolean;
  isNullable: boolean;
  isRequired: boolean;
  default: unknown;
  choices: readonly string[];
  /** One line, which begins in lower case and has no full stop. */
  text: string;
};

/** Returns the first sentence of a description, as help writes it. */
const asLine = (text: string): string =>
  text.replace(/\.(?:\s.*)?$/s, '').replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

const itemsOf = ({ type, items }: Schema): Schema | undefined =>
  type === 'array' && items instanceof Object && !Array.isArray(items) ? items : undefined;

/** Reads the schema of a field. */
export function readField(field: z.ZodType): Field {
  const whole = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  const value: Schema = whole.anyOf?.find(({ type }) => type !== 'null') ?? whole;
  const items = itemsOf(value);
  const schema = items ?? value;
  const accepts = (values: object): boolean => z.object({ field }).safeParse(values).success;
  return {
    ...{ schema, isList: items !== undefined, isNullable: accepts({ field: null }), isRequired: !accepts({}) },
    default: whole.default,
    choices: (schema.enum ?? []).filter((choice) => typeof choice === 'string'),
    text: asLine(String(whole.short ?? whole.description ?? '')),
  };
}

/** Returns whether values are of a type, or one of several; a field that may be null has that type too. */
const isOf = ({ schema }: Field, ...types: string[]): boolean =>
  [schema.type].flat().some((type) => type && types.includes(type));

/** Returns the word by which help names a value: `<time>`. */
function placeholderOf(name: string, field: Field): string {
  const more = field.isList ? '...' : '';
  if (isOf(field, 'object')) return `<json${more}>`;
  if (field.schema.format === 'date-time') return `<time${more}>`;
  return isOf(field, 'integer', 'number') ? `<number${more}>` : `<${name}${more}>`;
}

/** Returns whether a field is on or off, or only has one value. */
const isFlag = (field: Field): boolean => isOf(field, 'boolean') || field.schema.const !== undefined;

/** Returns the options of a field. One that may be switched on and off has two. `flags`: how it is written, if not by its name. */
export function optionsFor(name: string, field: Field, flags?: string, text: string = field.text): Option[] {
  const hyphened = name.replaceAll('_', '-');
  const usual = isFlag(field) ? `--${hyphened}` : `--${hyphened} ${placeholderOf(hyphened, field)}`;
  const option = new Option(flags ?? usual, text);
  option.makeOptionMandatory(field.isRequired);
  if (field.choices.length > 0) option.choices(field.choices);
  if (typeof field.default === 'string') option.default(field.default);
  return isOf(field, 'boolean') ? [option, new Option(`--no-${hyphened}`, `the opposite of --${hyphened}`)] : [option];
}

/** Returns the value that words stand for, in a request. `written`: the option or argument, for errors. Throws a UsageError. */
export function valueFrom(field: Field, words: unknown, written: string): unknown {
  if (isFlag(field)) return field.schema.const ?? words;
  if (isOf(field, 'object') && !field.isList && Array.isArray(words)) return readTexts(words.map(String), written);
  if (field.isList) return [words].flat().map((word) => readWord(field, String(word), written));
  return readWord(field, String(words), written);
}

function readWord(field: Field, word: string, written: string): unknown {
  if (field.isNullable && word === 'null') return null;
  if (isOf(field, 'object')) return readJson(word, written);
  if (isOf(field, 'integer', 'number')) {
    if (word.trim() !== '' && Number.isFinite(Number(word))) return Number(word);
    throw new UsageError(`${written} is not a number: give one such as 3`);
  }
  // A day is one in UTC, as everywhere on the command line.
  return field.schema.format === 'date-time' && /^\d{4}-\d\d-\d\d$/.test(word) ? `${word}T00:00:00Z` : word;
}

/** Reads an object of texts from an option that takes several words. An empty word stands for none, so that all can be removed. */
const readTexts = (words: readonly string[], written: string): Record<string, string> =>
  Object.fromEntries(words.filter((word) => word !== '').map((word) => readPair(word, written)));

function readPair(word: string, written: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):(.*)$/s.exec(word) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`${written} has no colon: give 'Name: value'`);
  return [name.trim(), value.trim()];
}

function readJson(word: string, written: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    throw new UsageError(`${written} is not JSON: give an object, in quotes for the shell`);
  }
}

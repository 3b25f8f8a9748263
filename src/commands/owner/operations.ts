import { Argument, type Command as CommandLine, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../config.ts';
import { OPERATIONS } from '../../http/endpoints.ts';
import type { AnyCommand } from '../../http/operation/command.ts';
import type { Operation, Settings } from '../../http/operation/declaration.ts';
import { parameterNames } from '../../http/operation/operation.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { LIMITS } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { UsageError } from '../command-error.ts';
import { declare, PAGE_ARGUMENT } from '../declare.ts';
import { agrees, say } from '../output.ts';
import { callOperation } from './answers.ts';
import { type Field, optionsOf, readField, valueFrom } from './field-values.ts';
import { type Connect, idOf, type Service } from './service.ts';

/*
 * The commands that operations declare. Only this file loads the declarations, and it is loaded when one of them is called.
 */

/** Fields depend on the settings of a service, and help shows those of the default. The service checks the values. */
const SETTINGS: Settings = {
  ...{ config: loadConfig({}), limits: LIMITS },
  delivery: { isOwnUrl: () => false },
  pages: { siteQueue: new FairQueue({ slots: 1, maxWaiting: 1 }) },
};

/** An argument stands for a parameter of the path, or for a field. `written`: `<page>`, `[file...]`. */
type ArgumentOf = { name: string; written: string; target: { parameter: string } | { field: string } };

/** A command with its operation. `flag`: the option that says that this operation is called. */
type Declared = {
  operation: Operation;
  command: AnyCommand;
  words: string;
  args: readonly ArgumentOf[];
  flag: Option | undefined;
};

function readUsage(operation: Operation, command: AnyCommand): Declared {
  const [, words = '', args = '', flags] = /^([a-z -]*[a-z])((?: [<[]\S+)*)(?: (--.*))?$/.exec(command.usage) ?? [];
  const parameters = parameterNames(operation.path);
  return {
    ...{ operation, command, words },
    args: args
      .split(' ')
      .filter((written) => written !== '')
      .map((written) => {
        const name = written.replaceAll(/[^\w-]/g, '');
        const parameter = parameters.find((one) => [name, `${name}Id`].includes(one === 'deployId' ? 'id' : one));
        const [field = name] = Object.entries(command.as ?? {}).find(([, as]) => as === written) ?? [];
        return { name, written, target: parameter === undefined ? { field } : { parameter } };
      }),
    flag: flags === undefined ? undefined : new Option(flags, command.text),
  };
}

const DECLARED = OPERATIONS.flatMap(({ operation }) => operation.commands.map((one) => readUsage(operation, one)));

/** Declares the commands with this first word: the command itself, or a group, of which it returns the group. `text`: its line in the help. */
export function declareCommands(program: CommandLine, name: string, text: string, connect: Connect): CommandLine {
  const named = DECLARED.filter(({ words }) => words === name || words.startsWith(`${name} `));
  const group = named.some(({ words }) => words === name) ? program : program.command(name).description(text);
  for (const [words, same] of Map.groupBy(named, (one) => one.words)) {
    const main = same.find(({ flag }) => flag === undefined);
    if (!main) throw new Error(`${words} has no command without an option`);
    declareCommand(group, main, { others: same.filter((one) => one !== main), text, connect });
  }
  return group;
}

/** An example of an argument: `wh_0Vbb…`. */
function exampleOf({ operation }: Declared, { written, target }: ArgumentOf): string {
  if ('field' in target || operation.params === undefined) return written;
  if (written === '<id>') return 'contact';
  const example = String(operation.params.shape[target.parameter]?.meta()?.example);
  return example.replace(/^([a-z]+_.{4}).*$/, '$1…');
}

/** What help says of a parameter of the path. */
function textOfParameter({ command }: Declared, name: string): string {
  if (name !== 'id') return `id of the ${name}`;
  return command.isInTrash ? `${PAGE_ARGUMENT}; of several with this slug, the last deleted` : PAGE_ARGUMENT;
}

/** Fields that the reading of a list needs. */
const OF_LISTS = ['page', 'limit', 'cursor'];

/** The fields of an operation that a command takes, by their names. */
function fieldsOf({ operation, command }: Declared): ReadonlyMap<string, Field> {
  const { query, body } = operation.fields(SETTINGS);
  const all = new Map(Object.entries({ ...query, ...body }).map(([name, schema]) => [name, readField(schema)]));
  const named = [...(command.fields ?? []), ...Object.keys({ ...command.as, ...command.sends })];
  const unknown = named.filter((name) => !all.has(name));
  if (unknown.length > 0) throw new Error(`${command.usage}: ${operation.name} has no ${unknown.join(', ')}`);
  return all;
}

/** The fields that are options of a command. */
function optionNames({ command, args }: Declared, fields: ReadonlyMap<string, Field>): string[] {
  const inArguments = args.flatMap(({ target }) => ('field' in target ? [target.field] : []));
  const others = [...OF_LISTS, ...inArguments, ...Object.keys(command.sends ?? {})];
  return Array.from(command.fields ?? fields.keys()).filter((name) => !others.includes(name));
}

function declareCommand(
  parent: CommandLine,
  main: Declared,
  { others, text, connect }: { others: readonly Declared[]; text: string; connect: Connect },
): void {
  const { words, args, command: declared } = main;
  const { help = [], texts = {}, as = {} } = declared;
  const example = `$ ${[words, ...args.map((one) => exampleOf(main, one))].join(' ')}`;
  const lines = help.some((line) => line.startsWith('$ ')) ? help : [...help, example];
  const command = declare(parent, words.split(' ').at(-1) ?? '', declared.text ?? text, ...lines);
  const fields = fieldsOf(main);
  for (const { name, written, target } of args) {
    const field = 'field' in target ? fields.get(target.field) : undefined;
    if ('field' in target && !field) throw new Error(`${declared.usage}: there is no ${target.field}`);
    const key = 'field' in target ? target.field : name;
    const argument = new Argument(written, texts[key] ?? field?.text ?? textOfParameter(main, name));
    if (field && field.choices.length > 0) argument.choices(field.choices);
    command.addArgument(argument);
  }
  for (const name of optionNames(main, fields)) {
    const field = fields.get(name);
    if (field) for (const option of optionsOf(name, field, as[name], texts[name])) command.addOption(option);
  }
  for (const { flag } of others) if (flag) command.addOption(flag);
  if (declared.limit !== undefined) command.addOption(limitOption(declared.limit));
  if (declared.asks) command.option('--yes', 'do not ask');
  command.action(() => run(command, main, others, connect));
}

const { maxLimit } = SIZES.list;

function readLimit(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new UsageError(`--limit is a number from 1 to ${maxLimit}`);
}

const limitOption = (limit: number): Option =>
  new Option('--limit <number>', `how many, at most ${maxLimit}`).argParser(readLimit).default(limit);

/** The words of the arguments, each a text; those of a list follow each other. */
const wordsOf = (args: readonly ArgumentOf[], given: readonly string[]) =>
  args.flatMap((argument, at) => {
    const words = argument.written.includes('...') ? given.slice(at) : given.slice(at, at + 1);
    return words.length > 0 ? [{ ...argument, words }] : [];
  });

type Called = Pick<CommandLine, 'args' | 'getOptionValueSource'> & { getOptionValue(name: string): unknown };

/** The values of fields, of arguments, options and what the command always sends. */
function valuesOf(called: Called, declared: Declared, fields: ReadonlyMap<string, Field>): Record<string, unknown> {
  const { command, args } = declared;
  const values: Record<string, unknown> = { ...command.sends };
  for (const { written, target, words } of wordsOf(args, called.args)) {
    const field = 'field' in target ? fields.get(target.field) : undefined;
    if ('field' in target && field) values[target.field] = valueFrom(field, words, written);
  }
  for (const name of optionNames(declared, fields)) {
    const field = fields.get(name);
    const [option] = field ? optionsOf(name, field, command.as?.[name]) : [];
    // A service may treat a default that is sent differently.
    const isGiven = option && called.getOptionValueSource(option.attributeName()) === 'cli';
    const given = isGiven ? called.getOptionValue(option.attributeName()) : undefined;
    if (field && option && given !== undefined) values[name] = valueFrom(field, given, option.long ?? option.flags);
  }
  return values;
}

/** The path of the request. A page may be named by its slug. */
async function pathOf(service: Service, called: Called, { operation, command, args, flag }: Declared): Promise<string> {
  const given = new Map(wordsOf(args, called.args).map(({ name, words }) => [name, words[0] ?? '']));
  if (flag?.required) given.set(flag.attributeName(), String(called.getOptionValue(flag.attributeName())));
  let { path } = operation;
  for (const parameter of parameterNames(path)) {
    const name = ['id', 'deployId'].includes(parameter) ? 'id' : parameter.replace(/Id$/, '');
    const word = given.get(name) ?? '';
    const value = name === 'id' ? await idOf(service, word, command.isInTrash ? 'trash' : 'live') : word;
    const parts = path.includes(`*${parameter}`) ? value.split('/') : [value];
    // Without a name, or with that of a folder, it would be the path of another operation.
    if (parts.some((part) => /^\.{0,2}$/.test(part))) throw new UsageError(`"${word}" is no ${name}: give another`);
    path = path.replace(new RegExp(`[:*]${parameter}\\b`), parts.map(encodeURIComponent).join('/'));
  }
  return path;
}

/** Runs the command that was called: that of the option which is given, or else the one without. */
async function run(called: Called, main: Declared, others: readonly Declared[], connect: Connect): Promise<void> {
  const isGiven = ({ flag }: Declared) => flag && called.getOptionValue(flag.attributeName()) !== undefined;
  const declared = others.find(isGiven) ?? main;
  const { operation, command, args } = declared;
  const { query, body } = operation.fields(SETTINGS);
  const values = valuesOf(called, declared, fieldsOf(declared));
  const typed = Object.fromEntries(wordsOf(args, called.args).map(({ name, words }) => [name, words.join(' ')]));
  const service = await connect();
  const path = await pathOf(service, called, declared);
  const question = called.getOptionValue('yes') ? undefined : command.asks?.(typed);
  if (question !== undefined && !(await agrees(question, '--yes'))) {
    say('nothing was changed');
    process.exitCode = 1;
    return;
  }
  const names = { query: new Set(Object.keys(query)), body: new Set(Object.keys(body)) };
  const limit = called.getOptionValue('limit');
  await callOperation(
    service,
    command,
    { method: operation.method, path, ...names, values },
    { typed, limit: typeof limit === 'number' ? limit : undefined, json: called.getOptionValue('json') === true },
  );
}

/** Returns the command of an operation, such as `formhost trash list`; undefined where it has none. */
export function commandOf(name: string): string | undefined {
  const declared = DECLARED.find(({ operation }) => operation.name === name);
  if (declared) return `formhost ${declared.words}`;
  const found = OPERATIONS.find(({ operation }) => operation.name === name);
  return /`(formhost [^`]+)`/.exec(found?.operation.noCommand ?? '')?.[1];
}

/**
 * Returns how a command writes a field of its request, or a parameter of its path: `--expires`, `<webhook>`. undefined for a field that
 * it does not take, and for a command that is written by hand.
 */
export function nameOfField(words: string, field: string): string | undefined {
  const declared = DECLARED.find((one) => one.words === words && !one.flag);
  if (!declared) return undefined;
  const argument = declared.args.find(({ target }) => Object.values(target).includes(field));
  if (argument) return argument.written;
  const fields = fieldsOf(declared);
  const schema = optionNames(declared, fields).includes(field) ? fields.get(field) : undefined;
  return schema && (optionsOf(field, schema, declared.command.as?.[field])[0]?.long ?? undefined);
}

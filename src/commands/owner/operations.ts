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
import { type Connect, idOf, type Service } from './api-requests.ts';
import { type Field, optionsFor, readField, valueFrom } from './field-values.ts';
import { callOperation } from './print-answers.ts';

/*
 * The commands that operations declare. Only this file loads the declarations, and it is loaded when one of them is called.
 */

/** Fields depend on the settings of a service, and help shows those of the default. The service checks the values. */
const SETTINGS: Settings = {
  ...{ config: loadConfig({}), limits: LIMITS },
  delivery: { isOwnUrl: () => false },
  pages: { siteQueue: new FairQueue({ slots: 1, maxWaiting: 1 }) },
};

/** An argument, `written` as `<webhook>` or `[submission...]`, for a field or for a parameter of the path: `target`. */
type ArgumentOf = { name: string; written: string; target: string; isField: boolean };

/** A command with its operation. `flag`: the option that says that this operation is called, and not that of `args` alone. */
type Declared = {
  operation: Operation;
  command: AnyCommand;
  words: string;
  args: readonly ArgumentOf[];
  flag: Option | undefined;
};

const nameIn = (written: string): string => written.replaceAll(/^.*[<[]|[\].>]+$/g, '');

function readArgument({ path }: Operation, { as = {} }: AnyCommand, written: string): ArgumentOf {
  const name = nameIn(written);
  const parameter = parameterNames(path).find((one) => nameOfParameter(one) === name);
  const [field = name] = Object.entries(as).find(([, how]) => how === written) ?? [];
  return { name, written, target: parameter ?? field, isField: parameter === undefined };
}

const nameOfParameter = (parameter: string): string => (parameter === 'deployId' ? 'id' : parameter.replace(/Id$/, ''));

function readUsage(operation: Operation, command: AnyCommand): Declared {
  const [, words = '', args = '', flag] =
    /^([a-z-]+(?: [a-z][a-z-]*)*)((?: [<[]\S+)*)(?: (--.*))?$/.exec(command.usage) ?? [];
  return {
    ...{ operation, command, words },
    args: Array.from(args.matchAll(/\S+/g), ([written]) => readArgument(operation, command, written)),
    flag: flag === undefined ? undefined : new Option(flag, command.text),
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

/** Returns an example of an argument: `wh_0Vbb…`. */
function exampleOf({ params }: Operation, { name, written, target }: ArgumentOf): string {
  if (name === 'id') return 'contact';
  const example = params?.shape[target]?.meta()?.example;
  return typeof example === 'string' ? example.replace(/^([a-z]+_.{4}).*$/, '$1…') : written;
}

/** Returns the line of help about an argument. */
function textOf({ command: { texts = {}, isInTrash } }: Declared, { name, target }: ArgumentOf, field?: Field): string {
  const page = isInTrash ? `${PAGE_ARGUMENT}; of several with this slug, the last deleted` : PAGE_ARGUMENT;
  return texts[target] ?? field?.text ?? (name === 'id' ? page : `id of the ${name}`);
}

/** Fields that the reading of a list needs. */
const OF_LISTS = ['page', 'limit', 'cursor'];

/** Returns the fields of the query and the body of an operation, by their names. Throws where its command names others. */
function fieldsOf({ operation, command, args }: Declared): ReadonlyMap<string, Field> {
  const { query, body } = operation.fields(SETTINGS);
  const fields = new Map(Object.entries({ ...query, ...body }).map(([name, schema]) => [name, readField(schema)]));
  const inArguments = args.filter(({ isField }) => isField).map(({ target }) => target);
  const named = [...inArguments, ...(command.fields ?? []), ...Object.keys({ ...command.as, ...command.sends })];
  const unknown = named.filter((name) => !fields.has(name));
  if (unknown.length > 0) throw new Error(`${command.usage}: ${operation.name} has no ${unknown.join(', ')}`);
  return fields;
}

/** Returns the options of a command with their fields: a field that can be switched off has two. */
function optionsOf({ command, args }: Declared, fields: ReadonlyMap<string, Field>) {
  const { fields: offered = [...fields.keys()], sends = {}, as = {}, texts = {} } = command;
  const others = [...OF_LISTS, ...args.map(({ target }) => target), ...Object.keys(sends)];
  return Array.from(fields)
    .filter(([name]) => offered.includes(name) && !others.includes(name))
    .map(([name, field]) => ({ name, field, options: optionsFor(name, field, as[name], texts[name]) }));
}

function declareCommand(
  parent: CommandLine,
  main: Declared,
  { others, text, connect }: { others: readonly Declared[]; text: string; connect: Connect },
): void {
  const { operation, words, args, command: declared } = main;
  const { help = [] } = declared;
  const example = `$ ${[words, ...args.map((one) => exampleOf(operation, one))].join(' ')}`;
  const lines = help.some((line) => line.startsWith('$ ')) ? help : [...help, example];
  const command = declare(parent, words.split(' ').at(-1) ?? '', declared.text ?? text, ...lines);
  const fields = fieldsOf(main);
  for (const argument of args) {
    const field = argument.isField ? fields.get(argument.target) : undefined;
    const added = new Argument(argument.written, textOf(main, argument, field));
    command.addArgument(field && field.choices.length > 0 ? added.choices(field.choices) : added);
  }
  for (const option of optionsOf(main, fields).flatMap(({ options }) => options)) command.addOption(option);
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

type Called = Pick<CommandLine, 'args' | 'getOptionValueSource'> & { getOptionValue(name: string): unknown };

/** Returns the words that are given for arguments, and for the option that names an operation, by the names of these. */
function wordsOf(called: Called, { args, flag }: Declared): ReadonlyMap<string, readonly string[]> {
  const given = args.map(({ name, written }, at): [string, string[]] => [
    name,
    called.args.slice(at, written.includes('...') ? undefined : at + 1),
  ]);
  const ofFlag: [string, string[]][] = flag?.required
    ? [[nameIn(flag.flags), [String(called.getOptionValue(flag.attributeName()))]]]
    : [];
  return new Map([...given, ...ofFlag].filter(([, words]) => words.length > 0));
}

/** Returns the values of fields: those that the command always sends, and those that are given. Throws a UsageError. */
function valuesOf(called: Called, declared: Declared, words: ReadonlyMap<string, readonly string[]>) {
  const fields = fieldsOf(declared);
  const values = new Map<string, unknown>(Object.entries(declared.command.sends ?? {}));
  for (const { name, written, target } of declared.args) {
    const [field, given] = [fields.get(target), words.get(name)];
    if (field && given) values.set(target, valueFrom(field, given, written));
  }
  for (const { name, field, options } of optionsOf(declared, fields)) {
    // A service may treat a default that is sent differently.
    const given = options.find((option) => called.getOptionValueSource(option.attributeName()) === 'cli');
    const value = given && called.getOptionValue(given.attributeName());
    if (given) values.set(name, valueFrom(field, value, given.long ?? given.flags));
  }
  if (declared.operation.method === 'PATCH' && values.size === 0)
    throw new UsageError('nothing is to be changed: give an option');
  return Object.fromEntries(values);
}

/** Returns the path of the request. A page may be named by its slug. */
async function pathOf(
  service: Service,
  { operation, command }: Declared,
  words: ReadonlyMap<string, readonly string[]>,
): Promise<string> {
  let { path } = operation;
  for (const parameter of parameterNames(path)) {
    const name = nameOfParameter(parameter);
    const [word = ''] = words.get(name) ?? [];
    const value = name === 'id' ? await idOf(service, word, command.isInTrash ? 'trash' : 'live') : word;
    const parts = path.includes(`*${parameter}`) ? value.split('/') : [value];
    // Without a name, or with that of a folder, it would be the path of another operation.
    if (parts.some((part) => /^\.{0,2}$/.test(part))) throw new UsageError(`"${word}" is no ${name}: give another`);
    path = path.replace(new RegExp(`[:*]${parameter}\\b`), parts.map(encodeURIComponent).join('/'));
  }
  return path;
}

/** Returns the options and arguments of a command by the fields that they are, for sentences about these. */
function fieldNamesOf(declared: Declared): Record<string, string> {
  const options = optionsOf(declared, fieldsOf(declared)).flatMap(({ name, options: [option] }) =>
    option?.long ? [[name, option.long]] : [],
  );
  return Object.fromEntries([...options, ...declared.args.map(({ name, target }) => [target, `<${name}>`])]);
}

/** Runs the command that was called: that of the option which is given, or else the one without. */
async function run(called: Called, main: Declared, others: readonly Declared[], connect: Connect): Promise<void> {
  const isGiven = ({ flag }: Declared) => flag && called.getOptionValue(flag.attributeName()) !== undefined;
  const declared = others.find(isGiven) ?? main;
  const { operation, command } = declared;
  const words = wordsOf(called, declared);
  const values = valuesOf(called, declared, words);
  const typed = Object.fromEntries(Array.from(words, ([name, given]) => [name, given.join(' ')]));
  const service = await connect(fieldNamesOf(declared));
  const path = await pathOf(service, declared, words);
  const question = called.getOptionValue('yes') ? undefined : command.asks?.(typed);
  if (question !== undefined && !(await agrees(question, '--yes'))) {
    say('nothing was changed');
    process.exitCode = 1;
    return;
  }
  const { query, body } = operation.fields(SETTINGS);
  const names = { query: Object.keys(query), body: Object.keys(body) };
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

/** Returns the command of the operation with a method and a path: `GET /trash`. */
export function commandFor(route: string): string | undefined {
  const found = OPERATIONS.find(({ operation: { method, path } }) => `${method} ${path}` === route);
  return found && commandOf(found.operation.name);
}

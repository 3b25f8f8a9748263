import { z } from 'zod';
import { render, type Vocabulary } from '../../problems/sentence.ts';
import type { Guarded } from '../operation/access.ts';
import type { Endpoint, ToolCall } from '../operation/declaration.ts';
import { parameterNames } from '../operation/operation.ts';
import {
  ADDS,
  FROM_VISITORS,
  type FurtherTool,
  READS,
  READS_VISITORS,
  REPLACES,
  type Tool,
} from '../operation/tool.ts';
import { BOUNDS } from './bounded-answer.ts';
import { PART } from './text-part.ts';
import { agentWords, argumentFor } from './tool-words.ts';

type Call = (call: ToolCall) => Promise<unknown>;

/** A tool with the endpoint that it calls, and what clients are told of it. */
export type BoundTool = {
  tool: Tool;
  call: Call;
  followUp: { call: Call; field: string } | undefined;
  /** The parameters of the path, and the arguments that they are taken from. */
  path: ReadonlyMap<string, string>;
  /** The names of its arguments. */
  names: ReadonlySet<string>;
  /** The names of those that are objects or lists. */
  structures: ReadonlySet<string>;
  /** The next step after a 404. */
  ifMissing: string | undefined;
  words: Vocabulary;
  /** Decides which keys may call it. */
  access: Guarded;
  descriptor: {
    name: string;
    description: string;
    inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[] };
    annotations: NonNullable<Tool['hints']>;
  };
};

/** Keywords that agents do without, since each list of tools has them all: the endpoint checks values, and says what is wrong. */
const LEFT_OUT = [
  ...['$schema', 'example', 'pattern', 'format', 'writeOnly', 'propertyNames', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'override', 'short'],
];

/** Arguments whose names say all, such as `webhook_id`, and those of many tools whose defaults agents need not know. */
const SELF_EXPLANATORY = /_id$|^(?:html|page|limit|max_chars|offset|starred|read|status|by|tz|wait|url|form|active)$/;
const WITHOUT_DEFAULT = /^(?:page|limit|max_chars)$/;

function toJsonSchema(name: string, field: z.ZodType): object {
  const schema = z.toJSONSchema(field, {
    io: 'input',
    override({ jsonSchema }) {
      const { short, override } = jsonSchema;
      // `override` is what the reference shows in place of a schema that cannot be derived.
      Object.assign(jsonSchema, override, typeof short === 'string' && { description: short });
      if (short === '') Reflect.deleteProperty(jsonSchema, 'description');
      for (const keyword of LEFT_OUT) Reflect.deleteProperty(jsonSchema, keyword);
    },
  });
  Reflect.deleteProperty(schema, '$schema');
  const typed = withTypes(schema);
  // Clients send an argument without a type as a text, or refuse the whole list of tools.
  if (!('type' in typed)) throw new Error(`The argument ${name} has no type.`);
  return typed;
}

/** Returns a schema with a type in each part of it that may be null: clients treat fields of an argument as they treat arguments. */
function withTypes(schema: object): object {
  const parts = Object.entries(schema).map(([key, part]: [string, unknown]) => [key, withTypesInPart(part)]);
  return { ...Object.fromEntries(parts), ...('anyOf' in schema ? typesOf(schema.anyOf) : {}) };
}

function withTypesInPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withTypesInPart);
  return part instanceof Object ? withTypes(part) : part;
}

/** Returns the schema of a value that may be null, or a text, with one list of types, in place of a choice of two schemas. */
function typesOf(choice: unknown): object {
  const [value, other, ...more]: unknown[] = Array.isArray(choice) ? choice : [];
  if (!(value instanceof Object && 'type' in value) || !(other instanceof Object && 'type' in other)) return {};
  if (more.length > 0) return {};
  if (other.type === 'null') {
    const values = 'enum' in value && Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {};
    return { ...value, ...values, type: [value.type, 'null'], anyOf: undefined };
  }
  const isAnyText = value.type === 'string' && Object.keys(value).length === 1;
  return isAnyText ? { ...other, type: ['string', other.type], anyOf: undefined } : {};
}

/** Returns whether an argument is an object or a list, and never a text. */
function isStructure(schema: object): boolean {
  const types = 'type' in schema ? [schema.type].flat() : [];
  return (types.includes('object') || types.includes('array')) && !types.includes('string');
}

const canBeLeftOut = (field: z.ZodType): boolean => z.object({ field }).safeParse({}).success;

/** The fields of an object's schema; none of another. */
const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? schema.shape : {};

function named<T>(of: Readonly<Record<string, T>>, name: string, where: string): T {
  const found = of[name];
  if (found === undefined) throw new Error(`${where} has no ${name}`);
  return found;
}

function callOf({ call, name }: Endpoint): Call {
  if (!call) throw new Error(`${name} cannot be called by a tool.`);
  return call;
}

/** A call that always has these fields. */
const sending =
  (call: Call, fields: FurtherTool['sends']): Call =>
  ({ input, ...exchange }) =>
    call({ ...exchange, input: { ...input, ...fields } });

/** The arguments of a tool by their names. */
function argumentsOf(tool: Tool, { params, query, body }: Endpoint): Readonly<Record<string, z.ZodType>> {
  const sent = fieldsOf(body?.schema ?? query);
  const ofPath = Object.entries(fieldsOf(params)).map(([parameter, field]): [string, z.ZodType] => [
    argumentFor(parameter),
    field,
  ]);
  const names = tool.fields ?? Object.keys(sent);
  const ofFields = names.map((name): [string, z.ZodType] => [name, named(sent, name, tool.name)]);
  const { max_chars, next } = BOUNDS.shape;
  const bounds = tool.isBounded && { max_chars, ...(names.includes('limit') && { next }) };
  const part = tool.inParts !== undefined && PART.shape;
  const all = [...ofPath, ...ofFields, ...Object.entries({ ...bounds, ...part })];
  const fields = Object.fromEntries(all);
  if (Object.keys(fields).length < all.length) throw new Error(`${tool.name} has two arguments with one name.`);
  return fields;
}

function hintsFor({ readsVisitors }: Tool, { method }: Endpoint) {
  if (method === 'GET') return readsVisitors ? READS_VISITORS : READS;
  return method === 'POST' ? ADDS : REPLACES;
}

type Api = { endpointNamed(name: string): Endpoint; words: Vocabulary };

function bind(tool: Tool | FurtherTool, endpoint: Endpoint, { endpointNamed, words }: Api): BoundTool {
  const { name, description, defaults = {} } = tool;
  // A part of an answer, or fewer items, are another request.
  if ((tool.isBounded || tool.inParts) && endpoint.method !== 'GET')
    throw new Error(`${name} would act more than once.`);
  const hints = tool.hints ?? hintsFor(tool, endpoint);
  const fields = Object.entries(argumentsOf(tool, endpoint));
  const properties = fields.map(([argument, field]): [string, object] => {
    const { [argument]: value } = defaults;
    const schema = toJsonSchema(argument, field);
    if (SELF_EXPLANATORY.test(argument)) Reflect.deleteProperty(schema, 'description');
    if (WITHOUT_DEFAULT.test(argument)) Reflect.deleteProperty(schema, 'default');
    return [argument, { ...schema, ...(value !== undefined && { default: value }) }];
  });
  const path = new Map(parameterNames(endpoint.path).map((parameter) => [parameter, argumentFor(parameter)]));
  const required = fields
    .filter(([argument, field]) => !Object.hasOwn(defaults, argument) && !canBeLeftOut(field))
    .map(([argument]) => argument);
  return {
    tool,
    call: 'sends' in tool ? sending(callOf(endpoint), tool.sends) : callOf(endpoint),
    followUp: tool.followUp && { call: callOf(endpointNamed(tool.followUp.operation)), field: tool.followUp.field },
    path,
    names: new Set(fields.map(([argument]) => argument)),
    structures: new Set(properties.flatMap(([argument, schema]) => (isStructure(schema) ? [argument] : []))),
    ifMissing: endpoint.ifMissing && render(endpoint.ifMissing, words),
    words,
    access: { scope: endpoint.scope ?? 'any', isOfAccount: endpoint.isOfAccount },
    descriptor: {
      name,
      description: tool.readsVisitors ? `${description} ${FROM_VISITORS}` : description,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(properties),
        ...(required.length > 0 && { required }),
      },
      annotations: hints,
    },
  };
}

/** The tools with the endpoints that they call, by their names. */
export function bindTools(endpoints: readonly Endpoint[]): ReadonlyMap<string, BoundTool> {
  const byName = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const api = { endpointNamed: (name: string) => named(byName, name, 'The API'), words: agentWords(endpoints) };
  return new Map(
    endpoints.flatMap((endpoint) =>
      [endpoint.tool ?? [], endpoint.furtherTools].flat().map((tool) => [tool.name, bind(tool, endpoint, api)]),
    ),
  );
}

import { z } from 'zod';
import type { Scope } from '../../db/account/api-keys.ts';
import type { Endpoint, ToolCall } from '../request/declaration.ts';
import { BOUNDS } from './bounded-answer.ts';
import type { Tool } from './tool.ts';
import { ARGUMENTS, TOOLS } from './tools.ts';

type Call = (call: ToolCall) => Promise<unknown>;

/** A tool with the endpoint that it calls, and what clients are told of it. */
export type BoundTool = {
  tool: Tool;
  call: Call;
  followUp: { call: Call; field: string } | undefined;
  /** The names of its arguments. */
  names: ReadonlySet<string>;
  /** The scope that a key needs. */
  scope: Scope;
  descriptor: {
    name: string;
    title: string;
    description: string;
    inputSchema: { type: 'object'; properties: Record<string, object>; required: string[] };
    annotations: Tool['hints'];
  };
};

/** Keywords that agents do without, since each list of tools has them all: the endpoint checks values, and says what is wrong. */
const LEFT_OUT = [
  ...['$schema', 'example', 'pattern', 'format', 'writeOnly', 'propertyNames', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
];

function toJsonSchema(name: string, field: z.ZodType): object {
  const schema = z.toJSONSchema(field, {
    io: 'input',
    override({ jsonSchema }) {
      for (const keyword of LEFT_OUT) Reflect.deleteProperty(jsonSchema, keyword);
    },
  });
  Reflect.deleteProperty(schema, '$schema');
  const description = ARGUMENTS[name];
  return description === undefined ? schema : { ...schema, description };
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

/** The arguments of a tool by their names. */
function argumentsOf(tool: Tool, { params, query, body }: Endpoint): Readonly<Record<string, z.ZodType>> {
  const sent = { ...fieldsOf(query), ...fieldsOf(body?.content['application/json']?.schema) };
  const ofPath = Object.entries(tool.path ?? {}).map(([parameter, name]): [string, z.ZodType] => {
    named(ARGUMENTS, name, 'ARGUMENTS');
    return [name, named(fieldsOf(params), parameter, tool.endpoint)];
  });
  const ofFields = (tool.fields ?? []).map((name): [string, z.ZodType] => [name, named(sent, name, tool.endpoint)]);
  const { max_chars, next } = BOUNDS.shape;
  const bounds = tool.isBounded && { max_chars, ...(sent.limit && { next }) };
  return { ...Object.fromEntries([...ofPath, ...ofFields]), ...bounds };
}

function bind(tool: Tool, endpointNamed: (name: string) => Endpoint): BoundTool {
  const { name, title, description, hints: annotations, defaults = {} } = tool;
  const endpoint = endpointNamed(tool.endpoint);
  const fields = Object.entries(argumentsOf(tool, endpoint));
  const properties = fields.map(([argument, field]): [string, object] => {
    const { [argument]: value } = defaults;
    return [argument, { ...toJsonSchema(argument, field), ...(value !== undefined && { default: value }) }];
  });
  const required = fields
    .filter(([argument, field]) => !Object.hasOwn(defaults, argument) && !canBeLeftOut(field))
    .map(([argument]) => argument);
  return {
    tool,
    call: callOf(endpoint),
    followUp: tool.followUp && { call: callOf(endpointNamed(tool.followUp.endpoint)), field: tool.followUp.field },
    names: new Set(fields.map(([argument]) => argument)),
    scope: endpoint.scope ?? 'read',
    descriptor: {
      name,
      title,
      description,
      inputSchema: { type: 'object', properties: Object.fromEntries(properties), required },
      annotations,
    },
  };
}

/** The tools with the endpoints that they call, by their names. */
export function bindTools(endpoints: readonly Endpoint[]): ReadonlyMap<string, BoundTool> {
  const byName = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const endpointNamed = (name: string): Endpoint => named(byName, name, 'The API');
  return new Map(TOOLS.map((tool) => [tool.name, bind(tool, endpointNamed)]));
}

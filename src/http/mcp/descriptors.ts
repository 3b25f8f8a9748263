import { z } from 'zod';
import type { Scope } from '../../db/account/api-keys.ts';
import type { Endpoint, ToolCall } from '../request/declaration.ts';
import { ARGUMENTS, TOOLS, type Tool } from './tools.ts';

type JsonSchema = {
  [keyword: string]: unknown;
  type: 'object';
  properties: Record<string, object>;
  required: string[];
};

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
    inputSchema: JsonSchema;
    outputSchema: JsonSchema;
    annotations: Tool['hints'];
  };
};

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of an object with these fields. `example` is a word of OpenAPI; JSON Schema has `examples`. */
function toJsonSchema(fields: Readonly<Record<string, z.ZodType>>): JsonSchema {
  const {
    type: _type,
    properties = {},
    required = [],
    ...rest
  } = z.toJSONSchema(z.strictObject(fields), {
    override({ jsonSchema }) {
      if (!('example' in jsonSchema)) return;
      jsonSchema.examples = [jsonSchema.example];
      Reflect.deleteProperty(jsonSchema, 'example');
    },
  });
  const schemas = Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === 'object' ? [[name, schema] as const] : [],
  );
  return { ...rest, $schema: DRAFT, type: 'object', properties: Object.fromEntries(schemas), required };
}

/** The fields of an object's schema; none of another. */
const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? schema.shape : {};

const answerOf = ({ answers }: Endpoint): Readonly<Record<string, z.ZodType>> =>
  fieldsOf(Object.values(answers)[0]?.content?.['application/json']?.schema);

function named<T>(of: Readonly<Record<string, T>>, name: string, where: string): T {
  const found = of[name];
  if (found === undefined) throw new Error(`${where} has no ${name}`);
  return found;
}

function callOf({ call, name }: Endpoint): Call {
  if (!call) throw new Error(`${name} cannot be called by a tool.`);
  return call;
}

/** The arguments, and whether a call can leave them out. */
function argumentsOf(tool: Tool, { params, query, body }: Endpoint): { [name: string]: z.ZodType } {
  const sent = { ...fieldsOf(query), ...fieldsOf(body?.content['application/json']?.schema) };
  const of = Object.entries(tool.path ?? {}).map(([parameter, name]): [string, z.ZodType] => [
    name,
    named(fieldsOf(params), parameter, tool.endpoint).meta({ description: named(ARGUMENTS, name, 'ARGUMENTS') }),
  ]);
  return Object.fromEntries([
    ...of,
    ...(tool.fields ?? []).map((name): [string, z.ZodType] => [name, named(sent, name, tool.endpoint)]),
  ]);
}

function bind(tool: Tool, endpointNamed: (name: string) => Endpoint): BoundTool {
  const { name, title, description, hints, defaults = {} } = tool;
  const endpoint = endpointNamed(tool.endpoint);
  const fields = argumentsOf(tool, endpoint);
  const input = toJsonSchema(fields);
  for (const [argument, value] of Object.entries(defaults)) {
    Object.assign(named(input.properties, argument, name), { default: value });
  }
  const answer = { ...answerOf(endpoint) };
  let followUp: BoundTool['followUp'];
  if (tool.followUp) {
    const { endpoint: next, field, description } = tool.followUp;
    const following = endpointNamed(next);
    answer[field] = named(answerOf(following), field, next).nullable().meta({ description });
    followUp = { call: callOf(following), field };
  }
  return {
    tool,
    call: callOf(endpoint),
    followUp,
    names: new Set(Object.keys(fields)),
    scope: endpoint.scope ?? 'read',
    descriptor: {
      name,
      title,
      description,
      inputSchema: {
        ...input,
        // With its default, a field is always there in what was read; a call may leave it out.
        required: Object.keys(fields).filter(
          (field) => !Object.hasOwn(defaults, field) && fields[field]?.safeParse(undefined).success === false,
        ),
      },
      outputSchema: toJsonSchema(answer),
      annotations: hints,
    },
  };
}

/** The tools with the endpoints that they call, by their names. */
export function bindTools(endpoints: readonly Endpoint[]): ReadonlyMap<string, BoundTool> {
  const byName = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const endpointNamed = (name: string): Endpoint => named(byName, name, 'The API');
  return new Map(TOOLS.map((tool) => [tool.name, bind(tool, endpointNamed)]));
}

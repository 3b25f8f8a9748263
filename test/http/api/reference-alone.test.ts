import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Owner, startTestService, type TestService } from '../../support/service.ts';

/*
 * A client that knows nothing of the service but what /openapi.json says: it finds requests by words of their summaries, and what
 * they need and answer in their schemas.
 */

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
});
const Content = z.record(z.string(), z.looseObject({ schema: Schema }));
const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional() })).optional(),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});
const Document = z.looseObject({
  info: z.looseObject({ description: z.string() }),
  servers: z.array(z.looseObject({ url: z.url() })).min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  components: z.looseObject({
    schemas: z.record(z.string(), Schema),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string(), scheme: z.string() })),
  }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** A client of the service that a document describes. `at`: where the test has it listen, in place of the document's server. */
function clientOf(document: z.infer<typeof Document>, key: string, at: string) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...Operation.parse(operation) })),
  );
  const follow = (schema: z.infer<typeof Schema>): z.infer<typeof Schema> => {
    const name = schema.$ref?.replace('#/components/schemas/', '');
    return name === undefined ? schema : Schema.parse(document.components.schemas[name]);
  };

  return {
    /** Does what the first request whose summary has these words is for, with these values for what it asks for. */
    async do(words: RegExp, values: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
      const operation = operations.find(({ summary }) => words.test(summary));
      if (!operation) throw new Error(`No summary is like ${words}`);
      const { parameters = [], security = document.security, requestBody, responses } = operation;
      const path = parameters
        .filter((parameter) => parameter.in === 'path')
        .reduce(
          (filled, { name }) => filled.replace(`{${name}}`, encodeURIComponent(values[name] ?? '')),
          operation.path,
        );
      const [scheme] = security
        .flatMap((one) => Object.keys(one))
        .map((name) => document.components.securitySchemes[name]);
      const headers: Record<string, string> = {};
      if (scheme?.type === 'http' && scheme.scheme === 'bearer') headers.Authorization = `Bearer ${key}`;
      const json = requestBody?.content['application/json']?.schema;
      const { properties, required = [], additionalProperties } = json ? follow(json) : {};
      const missing = required.filter((name) => values[name] === undefined);
      if (missing.length > 0) throw new Error(`${operation.summary} also asks for ${missing.join(', ')}`);
      const isInPath = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
      const body = Object.fromEntries(
        Object.entries(values).filter(
          ([name]) => !isInPath(name) && (Object.hasOwn(properties ?? {}, name) || additionalProperties !== false),
        ),
      );
      const response = await fetch(`${at}${path}`, {
        method: operation.method.toUpperCase(),
        ...(json && { body: JSON.stringify(body) }),
        headers: { ...headers, ...(json && { 'Content-Type': 'application/json' }) },
      });
      const declared = responses[String(response.status)];
      if (!declared || !response.ok)
        throw new Error(`${operation.summary}: ${response.status} ${await response.text()}`);
      const answer = z.record(z.string(), z.unknown()).parse(await response.json());
      const schema = declared.content?.['application/json']?.schema;
      expect(Object.keys(answer).toSorted()).toEqual(
        Object.keys((schema && follow(schema).properties) ?? {}).toSorted(),
      );
      return answer;
    },
  };
}

it('a client that reads /openapi.json alone publishes a page, submits its form, and lists what came', async () => {
  const document = Document.parse(await (await fetch(`${service.url}/openapi.json`)).json());
  expect(document.servers.map(({ url }) => url)).toEqual([service.config.baseUrl]);
  const client = clientOf(document, owner.key, service.url);

  // How a form is written is in the introduction and at the field.
  expect(document.info.description).toContain('`action="{{FORM_ACTION}}"`');
  const html = '<form method="post" action="{{FORM_ACTION}}"><input name="email"><button>Send</button></form>';
  const checked = await client.do(/check.*before it is published/i, { html });
  expect(checked).toMatchObject({ problems: [], forms: [{ fields: [{ name: 'email' }] }] });
  const { id } = z.object({ id: z.string() }).parse(await client.do(/^create a deployment/i, { html }));
  // The parameters of paths are named alike; a client tells which id is meant by its description.
  const of = { id, deployId: id };
  expect(await client.do(/^submit a form/i, { ...of, email: 'ada@example.org' })).toMatchObject({
    id: expect.stringMatching(/^sub_/),
  });
  expect(await client.do(/^list the submissions/i, of)).toMatchObject({
    submissions: [{ data: { email: 'ada@example.org' } }],
    total: 1,
  });
});

import { describe, expect, it } from 'vitest';
import { wantsTemplates } from '../../src/http/response/accept.ts';
import { TEMPLATE_TYPE as TEMPLATES } from '../../src/problems/problem-document.ts';
import { literal } from '../../src/problems/sentence.ts';
import { SIZES } from '../../src/sizes.ts';
import { JSON_TYPE, testService, UNKNOWN_ID } from '../support/test-service.ts';

/*
 * Errors and notices for clients with words of their own.
 */

const service = await testService();
const owner = await service.owner();
const page = await owner.deploy();

const ask = (accept: string, method: string, path: string, body?: object) =>
  fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${owner.key}`, ...JSON_TYPE, Accept: accept },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('wantsTemplates', () => {
  it.each([
    ...[
      TEMPLATES,
      'application/problem+json;detail=template, */*',
      'APPLICATION/Problem+JSON; Detail="Template"; q=0.5',
    ],
    ...['application/json, application/problem+json;q=0.4, application/problem+json;detail=template;q=0.5'],
  ])('is true for %j', (accept) => {
    expect(wantsTemplates({ accept })).toBe(true);
  });

  it.each([
    ...['', '*/*', 'application/problem+json', 'application/*', 'application/problem+json;detail=other'],
    ...['application/problem+json;detail=template;q=0', 'application/json;detail=template'],
    'application/problem+json, application/problem+json;detail=template;q=0.9',
    'a/b;c=", application/problem+json;detail=template,"',
    TEMPLATES.padEnd(SIZES.internalHeaders.acceptChars + 1, ','),
  ])('is false for %j', (accept) => {
    expect(wantsTemplates({ accept })).toBe(false);
  });
});

describe('an error as a template', () => {
  it.each<[string, string, object | undefined, object]>([
    [
      'POST',
      '/deploy',
      { html: 'x', slug: page.slug },
      { detail: '{slug} is taken: choose another, or leave it out.' },
    ],
    [
      'POST',
      '/deploy',
      { slug: 'www' },
      {
        detail: '{html} is required: {send} the page as a string.',
        errors: [
          { pointer: '/html', code: 'missing', detail: '{html} is required: {send} the page as a string.' },
          { pointer: '/slug', code: 'not-allowed', detail: '{slug} is reserved: choose another.' },
        ],
      },
    ],
    [
      'GET',
      `/trash?limit=0`,
      undefined,
      {
        detail: '{limit} is invalid: {send} a whole number from 1 to 2147483647{once}.',
        errors: [
          {
            parameter: 'limit',
            code: 'too-low',
            limit: 1,
            detail: '{limit} is invalid: {send} a whole number from 1 to 2147483647{once}.',
          },
        ],
      },
    ],
    [
      'DELETE',
      `/deploy/${UNKNOWN_ID}`,
      undefined,
      {
        detail: 'No such {deployment}: check the id, and that it belongs to the owner of the API key.',
        next: '{GET /deploy} has the ids and slugs of the {deployment}s, {GET /trash} those of deleted ones.',
      },
    ],
    [
      'POST',
      `/deploy/${page.id}/spam/sub_x/release`,
      undefined,
      {
        detail: 'No such spam: check the ids, and that it has not been released or removed.',
        next: '{GET /deploy/:id/spam} has what can be released.',
      },
    ],
    ['GET', '/nothing', undefined, { detail: 'There is nothing at this path: check it against the API reference.' }],
  ])('%s %s', async (method, path, body, expected) => {
    const response = await ask(TEMPLATES, method, path, body);
    const plain = JSON.parse(await (await ask('*/*', method, path, body)).text());
    const { type: _type, title: _title, status, code, ...rest } = JSON.parse(await response.text());
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('vary')).toMatch(/\bAccept\b(?!-)/);
    expect([status, code]).toEqual([response.status, response.headers.get('error-code')]);
    expect(rest).toEqual(expected);
    expect(Object.keys(plain)).toEqual(['error']);
    expect(plain.error).not.toMatch(/[{}]/);
  });

  it('keeps braces that are the text of somebody', async () => {
    const body = { html: 'x', files: { '{slug}\\': 5 } };
    const answers = await Promise.all(
      [TEMPLATES, 'application/problem+json', '*/*'].map(async (accept) =>
        JSON.parse(await (await ask(accept, 'POST', '/deploy', body)).text()),
      ),
    );
    const [template, problem, plain] = answers;
    expect(plain.error).toContain('{slug}');
    expect(problem.errors[0].detail).toBe(plain.error);
    expect(template.errors[0].detail).toBe(literal(plain.error));
  });
});

describe('a notice', () => {
  it('is a template where errors are, and keeps the names that were sent', async () => {
    const body = { html: 'x', slgu: 'a', '{slug}': 1 };
    const [template, plain] = await Promise.all(
      [TEMPLATES, '*/*'].map(async (accept) =>
        (await ask(accept, 'POST', '/deploy', body)).headers.get('formhost-notice'),
      ),
    );
    expect(plain).toBe(
      'Ignored, because no field has this name: slgu (did you mean slug?), {slug} (did you mean slug?)',
    );
    expect(template).toBe(
      'Ignored, because no field has this name: slgu (did you mean slug?), \\{slug} (did you mean slug?)',
    );
  });

  it('tells further wrong values', async () => {
    const { headers } = await ask(TEMPLATES, 'PATCH', `/deploy/${page.id}`, { language: 'xx', retention_days: 0 });
    expect(headers.get('formhost-notice')).toBe('{retention_days} is too low: {send} at least 1, or {null}');
  });
});

import { expect, it } from 'vitest';
import { readProblem } from '../../src/problems/read-problem.ts';

const NONE = { code: undefined, errors: [], next: undefined };

it.each<[unknown, unknown]>([
  [
    { detail: '{slug} is taken.', code: 'slug-taken' },
    { ...NONE, detail: '{slug} is taken.', code: 'slug-taken' },
  ],
  [
    { detail: 'No.', next: '{GET /trash} lists them.' },
    { ...NONE, detail: 'No.', next: '{GET /trash} lists them.' },
  ],
  [{ error: 'Send {this}.' }, { ...NONE, detail: 'Send \\{this}.' }],
  [
    {
      detail: 'a',
      errors: [
        { pointer: '/files/a~1b/0', detail: 'p' },
        { parameter: 'q', detail: 'q' },
        { header: 'If-Match', detail: 'h' },
        { pointer: '/x' },
        5,
      ],
    },
    {
      ...NONE,
      detail: 'a',
      errors: [
        { field: 'files.a/b.0', detail: 'p' },
        { field: 'q', detail: 'q' },
        { field: 'If-Match', detail: 'h' },
      ],
    },
  ],
  ...[undefined, null, 'detail', 5, [], {}, { detail: 5 }, { errors: [] }].map((body): [unknown, unknown] => [
    body,
    undefined,
  ]),
])('%j is read', (body, problem) => {
  expect(readProblem(body)).toEqual(problem);
});

import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Owner, startTestService, type TestService } from '../../support/service.ts';

/* A stream that begins far back needs more than one read: of 100 submissions, or of 256 KiB. It leaves none out. */

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

/** A deployment with so many submissions, each with a text of so many characters. */
async function deployWith(count: number, length: number): Promise<string> {
  const { id } = await owner.deploy();
  await service.db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT :id, n, 'sub_' || substr(:id, 3, 18) || lpad(n::text, 6, '0'),
            json_build_object('n', n, 'text', repeat('x', CAST(:length AS int))), '192.0.2.1', now()
       FROM generate_series(1, CAST(:count AS int)) AS n`,
    { id, count, length },
  );
  await service.db('deployments').where({ id }).update({ submission_count: count, last_submission_number: count });
  return id;
}

const Submission = z.object({ data: z.object({ n: z.number() }) });

/** The numbers of the first submissions that a stream sends. */
async function streamed(id: string, count: number): Promise<number[]> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${service.url}/submissions/${id}/stream`, {
    headers: { Authorization: `Bearer ${owner.key}`, 'Last-Event-ID': '0' },
    signal: controller.signal,
  });
  const numbers: number[] = [];
  let rest = '';
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: ')) numbers.push(Submission.parse(JSON.parse(line.slice(6))).data.n);
    }
    if (numbers.length >= count) break;
  }
  return numbers;
}

it.each([
  ['250 small ones', 250, 10],
  ['12 of 100 KB', 12, 100_000],
])('%s', async (_name, count, length) => {
  const id = await deployWith(count, length);
  expect(await streamed(id, count)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

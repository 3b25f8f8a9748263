import { describe, expect, it } from 'vitest';
import { refused } from '../../support/answers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
/** A deployment without submissions. */
const empty = (await owner.deploy()).id;

/** A deployment with submissions accepted at these times, as Postgres reads them. */
async function deployWith(times: readonly (string | Date)[]): Promise<string> {
  const { id } = await owner.deploy();
  await storeTexts(
    service.db,
    id,
    times.map(() => '{}'),
    { times },
  );
  return id;
}

async function statistics(id: string, query = '') {
  const { status, body } = await owner.get(`/deploy/${id}/stats${query}`);
  return { status, body };
}

describe('GET /deploy/:id/stats', () => {
  it('counts what is from a bucket’s start and before the next', async () => {
    const id = await deployWith([
      ...['2026-11-01T00:00:00Z', '2026-11-01T23:59:59.999Z', '2026-11-02T00:00:00Z', '2026-11-04T12:00:00Z'],
      ...['2026-11-04T12:30:00Z', '2026-11-04T13:00:00Z'],
    ]);
    // The last two are deleted.
    const deleted = [5, 6].map((number) => storedId(id, number));
    await owner.mark(id, 'delete', deleted);
    expect(await statistics(id, '?from=2026-10-31&to=2026-11-05')).toEqual({
      status: 200,
      body: {
        buckets: [
          { start: '2026-10-31T00:00:00.000Z', submissions: 0 },
          { start: '2026-11-01T00:00:00.000Z', submissions: 2 },
          { start: '2026-11-02T00:00:00.000Z', submissions: 1 },
          { start: '2026-11-03T00:00:00.000Z', submissions: 0 },
          { start: '2026-11-04T00:00:00.000Z', submissions: 1 },
        ],
        total: 4,
      },
    });
    // In the first and the last bucket, only what is from `from` and before `to`.
    expect(await statistics(id, '?from=2026-11-01T23:59:59.999Z&to=2026-11-02T00:00:00Z&by=hour')).toEqual({
      status: 200,
      body: { buckets: [{ start: '2026-11-01T23:00:00.000Z', submissions: 1 }], total: 1 },
    });
  });

  it('counts submissions that came in bursts, beside few in years', async () => {
    const burst = Array.from({ length: 2_000 }, (_, n) => new Date(Date.UTC(2026, 5, 15, 12) + (n >> 8)));
    const id = await deployWith([
      ...['1970-01-01T00:00:00Z', '2026-06-01T00:00:00Z', ...burst, '2026-06-15T23:59:59.999Z', '2026-06-30T00:00:00Z'],
    ]);
    const { status, body } = await statistics(id, '?from=2026-06-01&to=2026-07-01');
    const counted = body.buckets.map(({ submissions }: { submissions: number }) => submissions);
    expect({ status, counted, total: body.total }).toEqual({
      status: 200,
      counted: [1, ...Array(13).fill(0), 2_001, ...Array(14).fill(0), 1],
      total: 2_003,
    });
    // Each millisecond of the burst has 256.
    const moment = await statistics(id, '?from=2026-06-15T12:00:00.001Z&to=2026-06-15T12:00:00.003Z&by=hour');
    expect(moment.body.total).toBe(512);
    expect((await statistics(id, '?from=1970-01-01&to=1970-01-02')).body.total).toBe(1);
    expect((await statistics(id, '?from=2400-01-01&to=2400-01-02')).body.total).toBe(0);
  });

  it('covers the last 30 days by day when it is not told', async () => {
    const { id } = await owner.deploy();
    await owner.send('POST', `/submit/${id}`, '{}');
    const { body } = await statistics(id);
    expect([body.buckets.length, body.buckets.at(-1).submissions, body.total]).toEqual([30, 1, 1]);
  });

  it('takes days of 23 and of 25 hours, and days without a midnight', async () => {
    const startsIn = async (query: string) =>
      (await statistics(empty, `?${query}`)).body.buckets.map(({ start }: { start: string }) => start.slice(0, 16));
    expect(await startsIn('tz=Europe/Berlin&from=2026-03-28&to=2026-03-31')).toEqual([
      ...['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00'],
    ]);
    expect(await startsIn('tz=Europe/Berlin&from=2026-10-24&to=2026-10-27')).toEqual([
      ...['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00'],
    ]);
    expect(await startsIn('tz=Europe/Berlin&from=2026-10-25&to=2026-10-26&by=hour')).toHaveLength(25);
    expect(await startsIn('tz=Europe/Berlin&from=2026-03-29&to=2026-03-30&by=hour')).toHaveLength(23);
    // The clock goes from 0:00 to 1:00 on the 24th, and the day has two hours that begin at 0:00 in the autumn.
    expect(await startsIn('tz=Africa/Cairo&from=2026-04-23&to=2026-04-25')).toEqual([
      ...['2026-04-22T22:00', '2026-04-23T22:00'],
    ]);
    expect(await startsIn('tz=Atlantic/Azores&from=2026-10-25&to=2026-10-27')).toEqual([
      ...['2026-10-25T00:00', '2026-10-26T01:00'],
    ]);
    // Half an hour east, and a day that there was not.
    expect(await startsIn('tz=Asia/Kolkata&from=2026-01-01T18:40:00Z&to=2026-01-01T20:00:00Z&by=hour')).toEqual([
      ...['2026-01-01T18:30', '2026-01-01T19:30'],
    ]);
    expect(await startsIn('tz=Pacific/Apia&from=2011-12-29&to=2012-01-01')).toEqual([
      ...['2011-12-29T10:00', '2011-12-30T10:00'],
    ]);
  });

  it.each([
    ...['from=2026-02-30', 'from=2026-11-01T10:00:00', 'from=2026-11-01&from=2026-11-02', 'to='],
    ...['from=2026-11-02&to=2026-11-02', 'by=week', 'tz=Mars/Olympus', 'tz=%2B01:00', 'tz='],
    ...['from=2020-01-01&to=2026-01-01', 'from=0001-01-01&to=9999-12-31', 'from=0000-01-01&to=0000-01-05'],
    ...['from=0001-01-01T00:00:00%2B14:00&to=0001-01-03', 'to=9999-12-31T23:59:59-23:59'],
  ])('answers 400 to ?%s', async (query) => {
    expect(await statistics(empty, `?${query}`)).toEqual(refused(400));
  });

  it('answers at most 1,000 buckets', async () => {
    const hours = (count: number) => new Date(Date.UTC(2026, 0, 1) + count * 3_600_000).toISOString();
    const { body } = await statistics(empty, `?by=hour&from=${hours(0)}&to=${hours(1_000)}`);
    expect([body.buckets.length, body.buckets[999].start]).toEqual([1_000, hours(999)]);
    expect(await statistics(empty, `?by=hour&from=${hours(0)}&to=${hours(1_001)}`)).toEqual(refused(400));
  });
});

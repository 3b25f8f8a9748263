import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKey } from '../src/db/account/owners.ts';
import { alternate, compare, type Figures, type Round, type Row, wrk, wrkScript } from './measure.ts';
import { addDeployments, type Case, DEPLOYMENTS, type Stage, sql } from './stage.ts';

const SECONDS = 3;
const ROUNDS = 3;
const MILLION = 1_000_000;
/** Far more than fit into the memory that a process gives to pages. */
const PAGES = 100_000;
const VERSIONS = 100_000;

/** Coprime to every count here: each is requested once before any is requested again, in a scattered order. */
const STRIDE = 7_919;

/** A script for wrk that makes each request as it goes: there are too many different ones to keep. */
export const stridingScript = (count: number, request: string, first = 0): string => `local n = ${first}
request = function()
  n = (n + ${STRIDE}) % ${count}
  return ${request}
end
`;

export const submitRequest = (message: string): string =>
  `wrk.format("POST", string.format("/submit/d_%024d", n), { ["Content-Type"] = "application/json" }, '{"message":"${message}"}')`;
export const pageRequest = `"GET / HTTP/1.1\\r\\nHost: bench-" .. tostring(n):gsub("%d", function(digit) return string.char(97 + tonumber(digit)) end) .. ".localhost\\r\\n\\r\\n"`;

const ID = `d_${'0'.repeat(24)}`;
const day = (before: number): string => new Date(Date.now() - before * 24 * 3_600_000).toISOString().slice(0, 10);

/** The requests of an owner, sent one after another: the arguments of wrk.format, in Lua. */
const ASKED: Readonly<Record<string, string>> = {
  'GET /me': '"GET", "/me"',
  'list of deployments': '"GET", "/deploy"',
  overview: '"GET", "/overview"',
  'list of versions': `"GET", "/deploy/${ID}/versions"`,
  'search of a deployment': `"GET", "/submissions/${ID}/search?q=nowhere"`,
  'statistics of a year': `"GET", "/deploy/${ID}/stats?from=${day(365)}&to=${day(0)}"`,
  PUT: `"PUT", string.format("/deploy/d_%024d", n)`,
};

/** Pages of the first deployments that have none, and versions of each from before the live one. */
const addPages = ({ connection }: Stage, count: number, versions: number): Promise<void> =>
  sql(
    connection,
    // As in addDeployments, without triggers.
    `SET session_replication_role = replica;
     INSERT INTO pages (deployment_id, html)
     SELECT id, convert_to(repeat('<p>Hello.</p>', 630), 'UTF8') FROM deployments ORDER BY id LIMIT ${count}
         ON CONFLICT DO NOTHING;
     INSERT INTO page_versions (deployment_id, version, after_number, created_at, html)
     SELECT id, -version, 0, now(), convert_to(repeat('<p>Before.</p>', 630), 'UTF8')
       FROM (SELECT id FROM deployments ORDER BY id LIMIT ${DEPLOYMENTS}) AS first, generate_series(1, ${versions}) AS version;
     ANALYZE pages, page_versions`,
  );

/** Adds submissions to the first deployments, round-robin, up to a number. */
const fill = ({ connection }: Stage, from: number, to: number): Promise<void> =>
  sql(
    connection,
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT 'd_' || lpad((n % ${DEPLOYMENTS})::text, 24, '0'), 1000000 + n / ${DEPLOYMENTS}, 'sub_' || lpad(n::text, 24, '0'),
            '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}', '203.0.113.7', now()
       FROM generate_series(${from}, ${to - 1}) AS n;
     ANALYZE submissions`,
  );

/** How speed depends on size: the same load at each size, compared with the smallest. */
export const growth: Case = async (stage) => {
  const service = await stage.serve();
  const { key } = await makeKey(stage.db, { email: 'bench@test.example', defaultPlan: 'unlimited' });
  const watched = () => ({ formhost: service.pid, postgres: stage.postmaster });
  const load = async (name: string, script: string, connections = 64): Promise<readonly Round[]> => {
    const file = join(stage.folder, `${name}.lua`);
    await writeFile(file, script);
    const round = async (): Promise<Figures> => {
      await sql(stage.connection, "UPDATE deployments SET recent_submissions = '{}' WHERE recent_submissions <> '{}'");
      await sql(stage.connection, 'VACUUM deployments');
      await sql(stage.connection, "SELECT pg_notify('formhost_pages', '')");
      await delay(250);
      return wrk(file, service.port, { seconds: SECONDS, connections });
    };
    return (await alternate({ round }, watched, ROUNDS))('round');
  };
  const submitTo = (count: number) => load('submit', stridingScript(count, submitRequest('Hello.')));
  const list = (page: number) =>
    load(
      'list',
      wrkScript(1, `wrk.format("GET", "/submissions/${ID}?page=${page}", { Authorization = "Bearer ${key}" })`),
    );
  const rows: Row[] = [];
  const ask = async (): Promise<Map<string, readonly Round[]>> => {
    const asked = new Map<string, readonly Round[]>();
    for (const [name, what] of Object.entries(ASKED)) {
      // Each PUT has another page.
      const body = name === 'PUT' ? ', \'{"html":"<p>\' .. os.clock() .. \'"}\'' : '';
      const headers = `{ Authorization = "Bearer ${key}", ["Content-Type"] = "application/json" }`;
      asked.set(name, await load('ask', stridingScript(DEPLOYMENTS, `wrk.format(${what}, ${headers}${body})`), 1));
    }
    return asked;
  };

  await addPages(stage, DEPLOYMENTS, 0);
  const askedBefore = await ask();
  const few = await submitTo(DEPLOYMENTS);
  const listed = await list(1);
  const against = `${DEPLOYMENTS} deployments`;
  for (const [from, to] of [
    [DEPLOYMENTS, MILLION / 10],
    [MILLION / 10, MILLION],
  ] as const) {
    await addDeployments(stage.connection, from, to);
    rows.push(compare(`submit, ${to} deployments`, undefined, await submitTo(to), few, { against }));
  }
  for (const [from, to] of [
    [0, MILLION],
    [MILLION, 10 * MILLION],
  ] as const) {
    await fill(stage, from, to);
    const empty = { against: 'no submissions' };
    rows.push(compare(`submit, ${to} submissions`, undefined, await submitTo(DEPLOYMENTS), few, empty));
    rows.push(compare(`list, ${to} submissions`, undefined, await list(1), listed, empty));
  }
  await addPages(stage, PAGES, VERSIONS / DEPLOYMENTS);
  for (const [name, asked] of await ask()) {
    const against = { against: 'of few', figure: 'median', unit: ' ms' };
    rows.push(compare(`${name}, of very many`, undefined, asked, askedBefore.get(name) ?? [], against));
  }
  const inMemory = await load('hits', stridingScript(1_000, pageRequest));
  const missed = await load('misses', stridingScript(PAGES, pageRequest));
  rows.push(compare(`page, ${PAGES} hosts in turn`, undefined, missed, inMemory, { against: '1000 hosts' }));
  return rows;
};

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../src/db/connect.ts';
import { openEmbeddedPostgres } from '../src/db/embedded-postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { compare, freePort, seed, start, stop, wrk } from './measure.ts';

const HOSTS = 1_000;
const PAGE_BYTES = 8_192;

export async function pages(folder: string): Promise<void> {
  const embedded = await openEmbeddedPostgres(join(folder, 'pages'));
  const { host, port, user, database } = embedded.connection;
  await migrate(embedded.connection);
  const db = connect(embedded.connection);
  await seed(db);
  await db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(repeat('x', ?), 'UTF8') FROM deployments LIMIT ?",
    [PAGE_BYTES, HOSTS],
  );
  const script = join(folder, 'pages.lua');
  await writeFile(
    script,
    `local requests = {}
for n = 0, ${HOSTS - 1} do
  local name = tostring(n):gsub("%d", function(digit) return string.char(97 + tonumber(digit)) end)
  requests[n] = "GET / HTTP/1.1\\r\\nHost: bench-" .. name .. ".localhost\\r\\n\\r\\n"
end
local n = 0
request = function()
  n = (n + 1) % ${HOSTS}
  return requests[n]
end
`,
  );
  const [barePort, httpPort] = [await freePort(), await freePort()];
  const bare = await start(
    ['bench/bare-pages.ts', String(barePort), String(HOSTS), String(PAGE_BYTES)],
    {},
    `http://127.0.0.1:${barePort}`,
  );
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const service = await start(
    ['src/main.ts'],
    { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'warn' },
    `http://127.0.0.1:${httpPort}/readyz`,
  );
  const measure = async (port: number): Promise<number> => {
    const { rate, failures } = await wrk(script, port);
    if (failures > 0) throw new Error(`${failures} answers were not 2xx.`);
    return rate;
  };
  try {
    await compare(
      'pages, 8 KB, to bare node:http',
      () => measure(barePort),
      () => measure(httpPort),
    );
  } finally {
    await Promise.all([stop(bare), stop(service)]);
    await db.close();
    await embedded.close();
  }
}

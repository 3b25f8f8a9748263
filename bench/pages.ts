import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { alternate, compare, type Figures, isInstalled, type Row, wrk, wrkScript } from './measure.ts';
import { type Case, DEPLOYMENTS, freePort, type Stage, sql } from './stage.ts';

const HOSTS = 1_000;
const PAGE_BYTES = 8_192;
const LARGE_BYTES = 100_000;
const LARGE_HOST = 'large.localhost';
// Many short rounds: what else a machine does comes and goes within seconds.
const SECONDS = 1;
const ROUNDS = 11;

/** Text that compresses about as well as a page does. */
const text = (bytes: number): string => {
  const lines = Array.from(
    { length: Math.ceil(bytes / 40) },
    (_, n) => `<p class="line">${(n * 7_919) % 10_007} is a number, ${n} another</p>`,
  );
  return lines.join('\n').slice(0, bytes);
};

/** Lua for a request to the host of page `n`. */
const get = (...headers: readonly string[]): string =>
  `"GET / HTTP/1.1\\r\\nHost: bench-" .. tostring(n):gsub("%d", function(digit) return string.char(97 + tonumber(digit)) end) .. ".localhost\\r\\n${headers.map((header) => `${header}\\r\\n`).join('')}\\r\\n"`;

/** Pages from memory, to node:http with nothing on it, and to nginx. */
export const pages: Case = async (stage, leaveOut) => {
  const [page, large] = [text(PAGE_BYTES), text(LARGE_BYTES)];
  await stage.db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(?, 'UTF8') FROM deployments ORDER BY id LIMIT ?",
    [page, HOSTS],
  );
  await stage.db.raw("UPDATE deployments SET slug = 'large' WHERE id = (SELECT max(id) FROM deployments)");
  await stage.db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(?, 'UTF8') FROM deployments WHERE slug = 'large'",
    [large],
  );
  const file = join(stage.folder, 'page.html');
  await writeFile(file, page);

  const barePort = await freePort();
  const bare = await stage.start(
    [process.execPath, 'bench/bare-pages.ts', String(barePort), String(HOSTS), file],
    `http://127.0.0.1:${barePort}`,
  );
  const service = await stage.serve();
  const { body, headers } = await request(`http://127.0.0.1:${service.port}/`, {
    headers: { host: 'bench-a.localhost' },
  });
  if ((await body.text()) !== page) throw new Error('That is not the page.');
  const etag = `If-None-Match: ${String(headers.etag).replaceAll('"', '\\"')}`;

  const ask = async (name: string, lua: string, count = HOSTS): Promise<(port: number) => () => Promise<Figures>> => {
    const script = join(stage.folder, `${name}.lua`);
    await writeFile(script, wrkScript(count, lua));
    return (port) => () => wrk(script, port, { seconds: SECONDS });
  };
  const [whole, unchanged, compressed, whole100] = [
    await ask('whole', get()),
    await ask('unchanged', get(etag)),
    await ask('compressed', get('Accept-Encoding: gzip, deflate, br')),
    await ask('large', `"GET / HTTP/1.1\\r\\nHost: ${LARGE_HOST}\\r\\n\\r\\n"`, 1),
  ];
  const nginx = (await isInstalled('nginx')) ? await startNginx(stage, large) : undefined;
  if (!nginx) leaveOut('a page of 100 KB to nginx: nginx is not installed');
  const rounds = await alternate(
    {
      bare200: whole(barePort),
      our200: whole(service.port),
      bare304: unchanged(barePort),
      our304: unchanged(service.port),
      bareBr: compressed(barePort),
      ourBr: compressed(service.port),
      ...(nginx ? { nginx: whole100(nginx.port), our100: whole100(service.port) } : {}),
    },
    () => ({
      formhost: service.pid,
      'node:http': bare,
      ...(nginx ? { nginx: nginx.pid } : {}),
      postgres: stage.postmaster,
    }),
    ROUNDS,
  );
  const rows: Row[] = [
    compare('page, 8 KB', { atLeast: 0.9 }, rounds('our200'), rounds('bare200'), { against: 'node:http' }),
    compare('page, 8 KB, 304', { atLeast: 0.9 }, rounds('our304'), rounds('bare304'), { against: 'node:http' }),
    compare('page, 8 KB, br', { atLeast: 0.9 }, rounds('ourBr'), rounds('bareBr'), { against: 'node:http' }),
  ];
  if (nginx)
    rows.push(compare('page, 100 KB', { atLeast: 0.9 }, rounds('our100'), rounds('nginx'), { against: 'nginx' }));
  return rows;
};

/** More than a process keeps in memory, were they kept as they are. */
const MANY_HOSTS = 20_000;
const ROTATION_SECONDS = 3;

/** Pages that are not in memory, as they are asked for in rotation, to pages that are. */
export const rotation: Case = async (stage) => {
  await sql(
    stage.connection,
    `INSERT INTO deployments (id, owner_id, slug)
     SELECT 'd_' || lpad(n::text, 24, '0'), 1, 'bench-' || translate(n::text, '0123456789', 'abcdefghij')
       FROM generate_series(${DEPLOYMENTS}, ${MANY_HOSTS - 1}) AS n;
     INSERT INTO pages (deployment_id, html)
     SELECT id, convert_to(id || '${text(PAGE_BYTES - 26)}', 'UTF8') FROM deployments;
     ANALYZE`,
  );
  const [many, few] = [await stage.serve(), await stage.serve()];
  /** Goes on where the round before ended: no page comes again before all others. */
  const rotate = (name: string, lua: string): (() => Promise<Figures>) => {
    const script = join(stage.folder, `${name}.lua`);
    let first = 0;
    return async () => {
      await writeFile(script, wrkScript(MANY_HOSTS, lua, first));
      const figures = await wrk(script, many.port, { seconds: ROTATION_SECONDS });
      first = (first + figures.answers) % MANY_HOSTS;
      return figures;
    };
  };
  const fromMemory = async (name: string, lua: string): Promise<() => Promise<Figures>> => {
    const script = join(stage.folder, `${name}.lua`);
    await writeFile(script, wrkScript(HOSTS, lua));
    return () => wrk(script, few.port, { seconds: ROTATION_SECONDS });
  };
  const br = get('Accept-Encoding: gzip, deflate, br');
  const rows: Row[] = [];
  for (const [name, lua] of [
    ['page, 8 KB, 20,000 in rotation', get()],
    ['page, 8 KB, br, 20,000 in rotation', br],
  ] as const) {
    const rounds = await alternate(
      { rotated: rotate('rotated', lua), kept: await fromMemory('kept', lua) },
      () => ({ formhost: many.pid, postgres: stage.postmaster }),
      7,
    );
    rows.push(compare(name, { atLeast: 0.5 }, rounds('rotated'), rounds('kept'), { against: '1,000 in memory' }));
  }
  return rows;
};

/** nginx with its default settings, one worker and a file. */
async function startNginx({ folder, start }: Stage, page: string): Promise<{ port: number; pid: number }> {
  const port = await freePort();
  await writeFile(join(folder, 'index.html'), page);
  const config = join(folder, 'nginx.conf');
  await writeFile(
    config,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; default_type text/html;
  client_body_temp_path ${folder}/nb; proxy_temp_path ${folder}/np; fastcgi_temp_path ${folder}/nf;
  uwsgi_temp_path ${folder}/nu; scgi_temp_path ${folder}/ns;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}
`,
  );
  const pid = await start(['nginx', '-c', config, '-e', join(folder, 'nginx.log')], `http://127.0.0.1:${port}/`);
  return { port, pid };
}

import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { loadConfig } from '../src/config.ts';
import { pageColumns } from '../src/db/deployments/page-version-queries.ts';
import { PageRenderer } from '../src/http/pages/page-renderer.ts';
import { Hosts } from '../src/http/request/hosts.ts';
import { LIMITS } from '../src/limits.ts';
import {
  absolute,
  alternate,
  compare,
  type Figures,
  isInstalled,
  type Row,
  residentMb,
  wrk,
  wrkScript,
} from './measure.ts';
import { addDeployments, type Case, DEPLOYMENTS, freePort, type Stage, sql } from './stage.ts';

const HOSTS = 1_000;
const PAGE_BYTES = 8_192;
const LARGE_BYTES = 100_000;
const LARGE_HOST = 'large.localhost';
const STYLE_BYTES = 30_000;
const IMAGE_BYTES = 200_000;
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

/** Lua for a request to one host. */
const getFile = (host: string, path: string): string => `"GET ${path} HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n"`;

/** Gives a page these files. */
async function addFiles({ db }: Stage, slug: string, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const list = Object.entries(files).map(([path, content]) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { path, sha256, bytes: content.length, content };
  });
  for (const { sha256, bytes, content } of list) {
    await db.raw(
      "INSERT INTO site_contents (owner_id, sha256, bytes, content) SELECT owner_id, decode(?, 'hex'), ?, ? FROM deployments WHERE slug = ?",
      [sha256, bytes, content, slug],
    );
  }
  await db.raw('UPDATE pages SET files = ? FROM deployments WHERE deployment_id = deployments.id AND slug = ?', [
    JSON.stringify(list.map(({ content: _, ...file }) => file)),
    slug,
  ]);
}

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
  const [style, image] = [Buffer.from(text(STYLE_BYTES)), randomBytes(IMAGE_BYTES)];
  await addFiles(stage, 'large', { 'image.png': image, 'style.css': style });
  const assets = [join(stage.folder, 'style.css'), join(stage.folder, 'image.png')];
  await Promise.all([writeFile(assets[0] ?? '', style), writeFile(assets[1] ?? '', image)]);

  const barePort = await freePort();
  const bare = await stage.start(
    [process.execPath, 'bench/bare-pages.ts', String(barePort), String(HOSTS), file, ...assets],
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
    await ask('large', getFile(LARGE_HOST, '/'), 1),
  ];
  const [bareStyle, ourStyle, bareImage, ourImage] = [
    await ask('bare-style', getFile('other-0.localhost', '/style.css'), 1),
    await ask('style', getFile(LARGE_HOST, '/style.css'), 1),
    await ask('bare-image', getFile('other-1.localhost', '/image.png'), 1),
    await ask('image', getFile(LARGE_HOST, '/image.png'), 1),
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
      ...{ bareStyle: bareStyle(barePort), ourStyle: ourStyle(service.port) },
      ...{ bareImage: bareImage(barePort), ourImage: ourImage(service.port) },
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
    compare('stylesheet, 30 KB', { atLeast: 0.9 }, rounds('ourStyle'), rounds('bareStyle'), { against: 'node:http' }),
    compare('image, 200 KB', { atLeast: 0.9 }, rounds('ourImage'), rounds('bareImage'), { against: 'node:http' }),
  ];
  if (nginx)
    rows.push(compare('page, 100 KB', { atLeast: 0.9 }, rounds('our100'), rounds('nginx'), { against: 'nginx' }));
  return rows;
};

/** More than a process keeps in memory, were they kept as they are. */
const MANY_HOSTS = 20_000;
const ROTATION_SECONDS = 3;
/** The limit of PAGE_CACHE_MB, 128 MiB, and 150 MB. */
const MOST_MB = 278;
const START_SECONDS = 10;
const START_ROUNDS = 3;
const STORED_AT_ONCE = 500;
/** Every process renders pages with this address. */
const BASE_URL = 'http://localhost';

/** Stores a page of its own for each of MANY_HOSTS, as PUT does. */
async function storePages({ connection, db }: Stage): Promise<void> {
  await addDeployments(connection, DEPLOYMENTS, MANY_HOSTS);
  const config = loadConfig({ BASE_URL });
  const renderer = new PageRenderer(
    config,
    new Hosts(config, { pageAt: () => undefined, domainsOf: () => [] }),
    { run: () => Promise.reject(new Error('No page needs the thread.')) },
    LIMITS,
  );
  const content = text(PAGE_BYTES).slice(0, -26);
  const { rows } = await db.raw<{ rows: { id: string }[] }>('SELECT id FROM deployments');
  for (let from = 0; from < rows.length; from += STORED_AT_ONCE) {
    const batch = rows.slice(from, from + STORED_AT_ONCE);
    const pages = batch.map(async ({ id }) => ({
      deployment_id: id,
      ...pageColumns(
        await renderer.prepare(0, {
          deploymentId: id,
          slug: '',
          html: Buffer.from(id + content),
          hasAltcha: false,
          hasFormTools: false,
        }),
        [],
        1,
      ),
    }));
    await db('pages').insert(await Promise.all(pages));
  }
  await sql(connection, 'VACUUM ANALYZE pages');
}

/** Pages in rotation, of which a process has some in memory, none, or none yet, to pages that are in memory. */
export const rotation: Case = async (stage) => {
  await storePages(stage);
  const serve = (env = {}) => stage.serve({ BASE_URL, ...env });
  const [many, few, forgetful] = [await serve(), await serve(), await serve({ PAGE_CACHE_MB: '1' })];
  /** Goes on where the round before ended: no page comes again before all others. */
  const rotate = (name: string, lua: string, seconds = ROTATION_SECONDS): ((port: number) => Promise<Figures>) => {
    const script = join(stage.folder, `${name}.lua`);
    let first = 0;
    return async (port) => {
      await writeFile(script, wrkScript(MANY_HOSTS, lua, first));
      const figures = await wrk(script, port, { seconds });
      first = (first + figures.answers) % MANY_HOSTS;
      return figures;
    };
  };
  const rows: Row[] = [];
  for (const [name, lua] of [
    ['page, 8 KB', get()],
    ['page, 8 KB, br', get('Accept-Encoding: gzip, deflate, br')],
  ] as const) {
    const inMemory = join(stage.folder, 'in-memory.lua');
    await writeFile(inMemory, wrkScript(HOSTS, lua));
    const [rotated, missed] = [rotate('rotated', lua), rotate('missed', lua)];
    const rounds = await alternate(
      {
        rotated: () => rotated(many.port),
        missed: () => missed(forgetful.port),
        kept: () => wrk(inMemory, few.port, { seconds: ROTATION_SECONDS }),
      },
      () => ({ formhost: many.pid, 'PAGE_CACHE_MB=1': forgetful.pid, postgres: stage.postmaster }),
      7,
    );
    const compared = (row: string, side: string): Row =>
      compare(row, { atLeast: 0.5 }, rounds(side), rounds('kept'), { against: '1,000 in memory' });
    rows.push(compared(`${name}, 20,000 in rotation`, 'rotated'));
    rows.push(compared(`${name}, never in memory`, 'missed'));
    rows.push(
      absolute(`memory, ${name}, 20,000 in rotation`, { atMost: MOST_MB }, [await residentMb(many.pid)], ' MB'),
    );

    let started = many;
    const load = rotate('started', lua, START_SECONDS);
    const starts = await alternate(
      {
        async start() {
          started = await serve();
          return {};
        },
        first: () => load(started.port),
        later: () => load(started.port),
      },
      () => ({ formhost: started.pid, postgres: stage.postmaster }),
      START_ROUNDS,
    );
    const against = `the next ${START_SECONDS} s`;
    const row = `${name}, 20,000, first ${START_SECONDS} s after a start`;
    rows.push(compare(row, { atLeast: 0.5 }, starts('first'), starts('later'), { against }));
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

import { mkdir, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { join } from 'node:path';
import { alternate, compare, type Figures, type Row, run, wrk, wrkScript } from './measure.ts';
import { type Case, freePort, type Stage } from './stage.ts';
import { submitRound, submitScript } from './submit.ts';

const PACKAGES = { 'http-server': '14.1.1', 'parse-server': '9.10.0', sirv: '3.0.2' };
/** Kept for the next run. */
const FOLDER = join(process.cwd(), 'node_modules', '.cache', 'formhost-peers');
const INSTALL_MS = 180_000;
const SECONDS = 1;
const PAGE = 'x'.repeat(8_192);
const DATA = { name: 'Ada Lovelace', email: 'ada@example.org', message: 'Please send me the notes on the engine.' };

async function install(): Promise<boolean> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const args = ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  return run('npm', args, { timeout: INSTALL_MS }).then(
    () => true,
    () => false,
  );
}

/** Other servers of static files, with one page of 8 KB. */
async function staticPeers(stage: Stage): Promise<Row[]> {
  const { folder } = stage;
  await writeFile(join(folder, 'index.html'), PAGE);
  await stage.db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(?, 'UTF8') FROM deployments ORDER BY id LIMIT 1",
    [PAGE],
  );
  const script = join(folder, 'page.lua');
  await writeFile(script, wrkScript(1, '"GET / HTTP/1.1\\r\\nHost: bench-a.localhost\\r\\n\\r\\n"'));
  const names = ['express.static', 'sirv', 'http-server'];
  const service = await stage.serve();
  const peers = await Promise.all(
    names.map(async (name) => {
      const port = await freePort();
      const command =
        name === 'http-server'
          ? [
              join(FOLDER, 'node_modules/http-server/bin/http-server'),
              folder,
              '-p',
              String(port),
              '-s',
              '-a',
              '127.0.0.1',
            ]
          : ['bench/static-peer.ts', name, FOLDER, folder, String(port)];
      return { name, port, pid: await stage.start([process.execPath, ...command], `http://127.0.0.1:${port}/`) };
    }),
  );
  const ask = (port: number) => (): Promise<Figures> => wrk(script, port, { seconds: SECONDS });
  const sides = Object.fromEntries(peers.map(({ name, port }) => [name, ask(port)]));
  const rounds = await alternate({ ...sides, ours: ask(service.port) }, () => ({ formhost: service.pid }));
  return peers.map(({ name }) =>
    compare('page, 8 KB, to a peer', undefined, rounds('ours'), rounds(name), { against: name }),
  );
}

/** parse-server, on the same Postgres, stores a form as an object; it has no limit and counts nothing. */
async function parseServer(stage: Stage): Promise<Row[]> {
  // It reaches Postgres by TCP only.
  const relay = createServer((socket) => {
    const postgres = connectTcp(stage.socket);
    socket.pipe(postgres).pipe(socket);
    socket.on('error', () => postgres.destroy());
    postgres.on('error', () => socket.destroy());
  });
  const relayPort = await freePort();
  await new Promise<void>((resolve) => relay.listen(relayPort, '127.0.0.1', resolve));
  await stage.db.raw('CREATE DATABASE parse');
  const { user } = stage.connection;
  const port = await freePort();
  const parse = await stage.start(
    [
      process.execPath,
      join(FOLDER, 'node_modules/parse-server/bin/parse-server'),
      ...['--appId', 'bench', '--masterKey', 'bench', '--serverURL', `http://127.0.0.1:${port}/parse`],
      ...['--host', '127.0.0.1', '--port', String(port), '--silent', '1'],
      ...['--databaseURI', `postgres://${user}:x@127.0.0.1:${relayPort}/parse`, '--allowClientClassCreation', '1'],
    ],
    `http://127.0.0.1:${port}/parse/health`,
    // An argument would come too late.
    { PARSE_SERVER_LOGS_FOLDER: stage.folder },
  );
  const service = await stage.serve();
  const script = join(stage.folder, 'parse.lua');
  const body = JSON.stringify(JSON.stringify(DATA));
  const headers = '{ ["Content-Type"] = "application/json", ["X-Parse-Application-Id"] = "bench" }';
  await writeFile(script, wrkScript(1, `wrk.format("POST", "/parse/classes/Submission", ${headers}, ${body})`));
  const ours = await submitScript(stage);
  try {
    const rounds = await alternate(
      {
        parse: () => wrk(script, port, { seconds: SECONDS }),
        ours: () => submitRound(stage, ours, service.port, { seconds: SECONDS }),
      },
      () => ({ formhost: service.pid, 'parse-server': parse, postgres: stage.postmaster }),
    );
    return [compare('submit, to a peer', undefined, rounds('ours'), rounds('parse'), { against: 'parse-server' })];
  } finally {
    relay.close();
  }
}

/** Compared with other software that does the same. */
export const peers: Case = async (stage, leaveOut) => {
  if (!(await install())) {
    leaveOut('peers: they could not be installed from the registry');
    return [];
  }
  return [...(await staticPeers(stage)), ...(await parseServer(stage))];
};

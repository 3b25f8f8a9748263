import { execFile, spawnSync } from 'node:child_process';
import { chmod, chown, cp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** Returns whether openssl is installed, and warns on standard error if it is not. */
export function hasOpenssl(): boolean {
  const isThere = spawnSync('openssl', ['version']).status === 0;
  if (!isThere) console.warn('openssl is not installed: the tests of TLS to Postgres were left out');
  return isThere;
}

/** Files in a folder: an authority, and another one that has signed nothing; a server's certificate for localhost; a client's. */
export async function makeCertificates(folder: string, user: string) {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const key = (name: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', name];
  for (const name of ['authority', 'stranger']) {
    await openssl('req', '-x509', ...key(`${name}.key`), '-out', `${name}.crt`, '-days', '2', '-subj', `/CN=${name}`);
  }
  const by = ['-CA', 'authority.crt', '-CAkey', 'authority.key', '-days', '2'];
  const server = ['-subj', '/CN=server', '-addext', 'subjectAltName=DNS:localhost'];
  await openssl('req', '-x509', ...key('server.key'), '-out', 'server.crt', ...by, ...server);
  await openssl('req', '-x509', ...key('client.key'), '-out', 'client.crt', ...by, '-subj', `/CN=${user}`);
  // libpq refuses a key that others can read.
  await chmod(file('client.key'), 0o600);
  return {
    authority: file('authority.crt'),
    stranger: file('stranger.crt'),
    client: { cert: file('client.crt'), key: file('client.key') },
    /** Copies what a server needs into its folder; answers its settings. */
    async installIn(data: string): Promise<string[]> {
      const { uid, gid } = await stat(data);
      for (const name of ['authority.crt', 'server.crt', 'server.key']) {
        const copy = join(data, name);
        await cp(file(name), copy);
        await chown(copy, uid, gid);
        await chmod(copy, 0o600);
      }
      return ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key', 'ssl_ca_file=authority.crt'];
    },
  };
}

/** Trusts an authority, up to the end of the test. */
export function trust(certificate: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

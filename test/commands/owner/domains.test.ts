import { describe, expect, it } from 'vitest';
import { startDnsServer } from '../../support/dns-server.ts';
import { done, refusedFor } from '../../support/run-command.ts';
import { ownerCommands, wait } from '../../support/run-owner-commands.ts';

const dns = await startDnsServer();
const { owner, run, apiText } = await ownerCommands({ DNS_SERVERS: dns.address });

/** The only domain of a page, after the check that follows its addition: the next one is a minute later. */
async function checkedOf(id: string) {
  const read = async () => JSON.parse(await apiText(`/deploy/${id}/domains`)).domains[0];
  await wait(async () => expect((await read()).checked_at).not.toBe(null));
  return read();
}

describe('formhost domains', () => {
  it('adds a domain, says what DNS lacks, lists it and removes it', async () => {
    const { id, slug } = await owner.deploy();
    const domain = 'forms.shop.example';
    const added = await run(['domains', 'add', slug, 'Forms.Shop.Example']);
    const { records } = await checkedOf(id);
    const rows = records.map(({ type, name, value }: Record<string, string>) => `${type}\t${name}\t${value}\n`);
    const next = `add these records at your DNS provider, then: formhost domains check ${slug} ${domain}`;
    expect(added).toEqual(done(rows.join(''), `formhost: ${next}\n`));

    const check = () => run(['domains', 'check', slug, domain]);
    expect(await check()).toEqual({
      code: 1,
      stdout: 'pending\n',
      stderr: expect.stringMatching(/^formhost: The TXT record of _formhost\.forms\.shop\.example is missing: .*\n$/),
    });
    for (const { type, name, value } of records) dns.replies.set(`${type} ${name}`, [value]);
    expect(await check()).toEqual(done('live\n'));

    const { checked_at } = await checkedOf(id);
    expect(await run(['domains', 'list', slug])).toEqual(done(`${domain}\tlive\t${checked_at}\t-\n`));
    expect((await run(['domains', 'list', id, '--json'])).stdout).toBe(`${await apiText(`/deploy/${id}/domains`)}\n`);

    const message = 'removed: delete its records at your DNS provider too';
    expect(await run(['domains', 'remove', slug, domain])).toEqual(done(`${domain}\n`, `formhost: ${message}\n`));
    expect(await check()).toEqual(refusedFor('No such domain: choose one that `formhost domains list` lists'));
  });

  it('prints the answers of the API with --json, and exits with 1 all the same', async () => {
    const { id } = await owner.deploy();
    const added = await run(['domains', 'add', id, 'two.shop.example', '--json']);
    expect({ ...added, stdout: JSON.parse(added.stdout) }).toEqual(
      done(expect.objectContaining({ domain: 'two.shop.example', status: 'pending' })),
    );
    await checkedOf(id);
    const { stdout, ...rest } = await run(['domains', 'check', id, 'two.shop.example', '--json']);
    expect(rest).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(await checkedOf(id));
  });

  it('says why a domain is refused', async () => {
    const { id } = await owner.deploy();
    expect(await run(['domains', 'add', id, 'https://shop.example/form'])).toEqual(
      refusedFor('<domain> is a URL: give only its host'),
    );
  });
});

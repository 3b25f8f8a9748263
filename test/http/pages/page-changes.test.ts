import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { restore, takeDown } from '../../../src/db/take-downs.ts';
import type { Service } from '../../../src/service.ts';
import { type Link, proxyTo } from '../../support/postgres-proxy.ts';
import { asOwner, getPage, type Owner, startTestService, type TestService } from '../../support/service.ts';

/**
 * What becomes of the connection that listens, known by the LISTEN that it sends, of all connections, or of all others:
 * it may be cut, get no answer any more, reach Postgres through a pooler that takes LISTEN and passes no notification
 * on, or get its answers late.
 */
type Trouble =
  | 'none'
  | 'listening is cut'
  | 'listening is muted'
  | 'listening is pooled'
  | 'all refused'
  | 'all muted'
  | 'answers are late';

/** `beats` counts the messages of Postgres since LISTEN was sent; `late` has those that the client has not received. */
type Heard = { listens: boolean; beats: number; late: Buffer[] };

const soon = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 10 });

/** Postgres at an address where a test can make trouble. */
async function troubledPostgres(databaseUrl: string) {
  let trouble: Trouble = 'none';

  const isMuted = ({ listens }: Heard) => trouble === 'all muted' || (trouble === 'listening is muted' && listens);
  const isCut = ({ listens }: Heard) => trouble === 'all refused' || (trouble === 'listening is cut' && listens);
  /** Replaces LISTEN by NOTIFY, which has the same length and the same answer, and leads to no notifications. */
  const withoutListen = (said: Buffer) =>
    trouble === 'listening is pooled'
      ? Buffer.from(said.toString('latin1').replace('LISTEN ', 'NOTIFY '), 'latin1')
      : said;

  const proxy = await proxyTo(
    databaseUrl,
    (): Heard => ({ listens: false, beats: 0, late: [] }),
    (link) => {
      const { client, postgres, end } = link;
      client.on('data', (said) => {
        link.listens ||= said.includes('LISTEN ');
        if (isCut(link)) end();
        else if (!isMuted(link)) postgres.write(withoutListen(said));
      });
      postgres.on('data', (said) => {
        if (isMuted(link)) return;
        if (link.listens) link.beats += 1;
        if (trouble === 'answers are late' && !link.listens) link.late.push(said);
        else client.write(said);
      });
      if (trouble === 'all refused') end();
    },
  );
  const { links } = proxy;

  return {
    ...proxy,
    /** Settles when Postgres has said so many things to a connection since it asked to listen. */
    listening: (beats = 4) => soon(() => expect([...links].some((link) => link.beats >= beats)).toBe(true)),
    /** Settles when it has said as many more to the one that listens, or as many to one that took its place. */
    beating: (more = 3) => {
      const before = new Map([...links].filter(({ listens }) => listens).map((link) => [link, link.beats]));
      const heard = (link: Link & Heard) => link.listens && link.beats >= more + (before.get(link) ?? 1);
      return soon(() => expect([...links].some(heard)).toBe(true));
    },
    /** Settles when there is an answer that is late. */
    late: () => soon(() => expect([...links].some(({ late }) => late.length > 0)).toBe(true)),
    /** Causes a fault, after which the clients connect again. */
    make(next: Trouble) {
      const hadTrouble = !['none', 'answers are late'].includes(trouble) || next === 'listening is pooled';
      trouble = next;
      for (const link of links) {
        if (isCut(link) || (hadTrouble && link.listens)) link.end();
        for (const said of link.late.splice(0)) link.client.write(said);
      }
    },
  };
}

let service: TestService;
let proxy: Awaited<ReturnType<typeof troubledPostgres>>;
/** Two processes' worth beside `service`: one that reaches Postgres like it, one that reaches it through the proxy. */
let other: Service;
let troubled: Service;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  proxy = await troubledPostgres(service.databaseUrl);
  [other, troubled, owner] = await Promise.all([
    service.another(),
    service.another({ DATABASE_URL: proxy.url }),
    service.owner(),
  ]);
});
afterAll(async () => {
  await service.close();
  await proxy.close();
});

beforeEach(async () => {
  proxy.make('none');
  await proxy.listening();
});

/** What a service shows under a slug: the page's text, or the status of an error. */
async function look(url: string, slug: string): Promise<string | number> {
  const { status, text } = await getPage(url, slug);
  return status === 200 ? text : status;
}

const form = (): URLSearchParams => new URLSearchParams({ a: '1' });

/** Looks until a service shows what is expected, and then some more. */
async function shows(url: string, slug: string, expected: string | number): Promise<void> {
  await vi.waitFor(async () => expect(await look(url, slug)).toBe(expected), { timeout: 60_000, interval: 5 });
  for (let again = 0; again < 3; again += 1) expect(await look(url, slug)).toBe(expected);
}

/** A page that a service has shown, and so has in its memory. */
async function shown(url: string, html: string): Promise<{ id: string; slug: string }> {
  const deployment = await owner.deploy({ html });
  await shows(url, deployment.slug, html);
  return deployment;
}

const put = (by: Owner, id: string, html: string) => by.put(`/deploy/${id}`).send({ html }).expect(200);

/** Makes every kind of change of pages through `service`, one after another, until each shows at `url`. */
async function everyChange(url: string): Promise<void> {
  const { id, slug } = await shown(url, 'one');
  for (const html of ['two', 'three']) {
    await put(owner, id, html);
    await shows(url, slug, html);
  }
  await takeDown(service.db, id, 'a reason');
  await shows(url, slug, 451);
  await restore(service.db, id);
  await shows(url, slug, 'three');
  await owner.delete(`/deploy/${id}`).expect(200);
  await shows(url, slug, 404);
  const next = await owner.deploy({ slug, html: 'another deployment' });
  await shows(url, slug, 'another deployment');
  await owner.delete(`/deploy/${next.id}`).expect(200);
  await shows(url, slug, 404);
}

describe('a change of a page made in one process', () => {
  it('shows in another: new HTML, a take-down and its end, a deletion, a creation where there was no page', async () => {
    await everyChange(other.url);
  });

  it('shows the other way round', async () => {
    const { id, slug } = await shown(service.url, 'one');
    for (const html of ['two', 'three', 'four']) {
      await put(asOwner(other.url, owner.key), id, html);
      await shows(service.url, slug, html);
    }
  });

  it('shows what was last, when both processes change a page at once', async () => {
    const { id, slug } = await shown(other.url, 'one');
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        put(asOwner(index % 2 ? other.url : service.url, owner.key), id, `version ${index}`),
      ),
    );
    const last = (await owner.get(`/deploy/${id}/html`).expect(200)).body.html;
    await Promise.all([service, other].map(({ url }) => shows(url, slug, last)));
    const restarted = await service.another();
    expect(await look(restarted.url, slug)).toBe(last);
  });
});

describe('a page that is being fetched from the database while it is changed', () => {
  it.each([
    ['replaced', (id: string) => put(owner, id, 'after'), 'after'],
    ['deleted', (id: string) => owner.delete(`/deploy/${id}`).expect(200), 404],
  ])('is not kept as it was before (%s)', async (_how, change, expected) => {
    const { id, slug } = await owner.deploy({ html: 'before' });
    // A connection is there: what is late is the page, not the handshake.
    expect(await look(troubled.url, 'nobody')).toBe(404);
    proxy.make('answers are late');
    const fetching = look(troubled.url, slug);
    await proxy.late();
    await change(id);
    await proxy.beating();
    proxy.make('none');
    expect(['before', expected]).toContain(await fetching);
    expect(await look(troubled.url, slug)).toBe(expected);
  });

  it('is not kept as it was before while its turn to be made ready comes and goes, large as it is', async () => {
    const large = (text: string): string => text.padEnd(100 * 1024);
    const { id, slug } = await owner.deploy({ html: large('before') });
    expect(await look(troubled.url, 'nobody')).toBe(404);
    proxy.make('answers are late');
    const fetching = look(troubled.url, slug);
    await proxy.late();
    // That it is large has been said; its HTML is said next.
    proxy.make('answers are late');
    await proxy.late();
    await put(owner, id, large('after'));
    await proxy.beating();
    proxy.make('none');
    expect([large('before'), large('after')]).toContain(await fetching);
    expect(await look(troubled.url, slug)).toBe(large('after'));
  });

  it('overtakes the refusal of a submission too, which is not remembered then', async () => {
    const { id } = await owner.deploy();
    const submit = async (url: string) => (await fetch(`${url}/submit/${id}`, { method: 'POST', body: form() })).status;
    for (let count = 0; count < 10; count += 1) expect(await submit(service.url)).toBe(200);
    expect(await look(troubled.url, 'nobody')).toBe(404);
    proxy.make('answers are late');
    const refusing = submit(troubled.url);
    await proxy.late();
    // That it is not taken has been said; why, is said next.
    proxy.make('answers are late');
    await proxy.late();
    await owner.delete(`/deploy/${id}`).expect(200);
    await proxy.beating();
    proxy.make('none');
    expect([await refusing, await submit(troubled.url)]).toEqual([429, 404]);
  });
});

describe('while a process cannot listen', () => {
  it.each(['listening is cut', 'listening is muted', 'listening is pooled'] as const)(
    'a change shows there all the same, and once it can again (%s)',
    async (trouble) => {
      const { slug } = await shown(troubled.url, 'untouched');
      proxy.make(trouble);
      // Only once it is believed to listen does a pooler do harm.
      if (trouble === 'listening is pooled') await proxy.listening(1);
      await everyChange(troubled.url);
      expect(await look(troubled.url, slug)).toBe('untouched');
      proxy.make('none');
      await everyChange(troubled.url);
    },
  );

  it('a change shows though it is made in the moment in which listening ends', async () => {
    for (const trouble of ['listening is muted', 'listening is cut', 'listening is muted'] as const) {
      const { id, slug } = await shown(troubled.url, 'before');
      proxy.make(trouble);
      await put(owner, id, 'after');
      await shows(troubled.url, slug, 'after');
      proxy.make('none');
      await proxy.listening();
    }
  });

  it('a change that the process makes itself shows there at once', async () => {
    const { id, slug } = await shown(troubled.url, 'before');
    const own = asOwner(troubled.url, owner.key);
    for (const trouble of ['listening is muted', 'listening is cut'] as const) {
      proxy.make(trouble);
      await put(own, id, trouble);
      expect(await look(troubled.url, slug)).toBe(trouble);
    }
    await own.delete(`/deploy/${id}`).expect(200);
    expect(await look(troubled.url, slug)).toBe(404);
    await own.deploy({ slug, html: 'another deployment' });
    expect(await look(troubled.url, slug)).toBe('another deployment');
  });

  it('a change is not missed that is made between two connections', async () => {
    const { id, slug } = await shown(troubled.url, 'before');
    proxy.make('listening is cut');
    await put(owner, id, 'after');
    proxy.make('none');
    await proxy.listening();
    await shows(troubled.url, slug, 'after');
  });
});

describe('while the database is out of reach', () => {
  it.each(['all refused', 'all muted'] as const)('a process serves the pages that it has (%s)', async (trouble) => {
    const { id, slug } = await shown(troubled.url, 'kept');
    proxy.make(trouble);
    // Longer than any change needs to be received.
    for (const since = performance.now(); performance.now() - since < 700; )
      expect(await look(troubled.url, slug)).toBe('kept');

    await put(owner, id, 'changed meanwhile');
    proxy.make('none');
    await shows(troubled.url, slug, 'changed meanwhile');
  });
});

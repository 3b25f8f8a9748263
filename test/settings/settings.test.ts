import { describe, expect, it } from 'vitest';
import { etagOf } from '../../src/db/deployments/page-version-queries.ts';
import { SETTINGS, type Setting } from '../../src/settings/settings.ts';
import { FIELDS } from '../support/english-dashboard.ts';
import { testService } from '../support/test-service.ts';

/* Each setting stands in the declaration, in the database, in the API and in the dashboard. */

const service = await testService();
const owner = await service.owner();
const settings = Object.entries<Setting>(SETTINGS);
const names = settings.map(([name]) => name);

/** The columns of the tables that have settings, with their types, by `table.column`. */
async function columnTypes(): Promise<Map<string, string>> {
  const { rows } = await service.db.raw<{ rows: { name: string; type: string }[] }>(
    `SELECT relname || '.' || attname AS name, format_type(atttypid, NULL) AS type
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE attrelid IN ('deployments'::regclass, 'form_rules'::regclass) AND attnum > 0 AND NOT attisdropped`,
  );
  const short = (type: string): string => (type === 'timestamp with time zone' ? 'timestamptz' : type);
  return new Map(rows.map(({ name, type }) => [name, short(type)]));
}

const declared = settings.flatMap(([name, { column }]) =>
  column ? [{ name: `${column.table}.${name}`, column }] : [],
);

describe('the declaration of settings', () => {
  it('names columns, with the types that they have', async () => {
    const types = await columnTypes();
    expect(declared.map(({ name }) => [name, types.get(name)])).toEqual(
      declared.map(({ name, column }) => [name, column.type]),
    );
  });

  it('has each column of form_rules, except those of spam', async () => {
    const types = await columnTypes();
    const others = ['deployment_id', 'blocklist', 'captcha'].map((name) => `form_rules.${name}`);
    const inRules = [...types.keys()].filter((name) => name.startsWith('form_rules.') && !others.includes(name));
    expect(declared.flatMap(({ name, column }) => (column.table === 'form_rules' ? [name] : [])).toSorted()).toEqual(
      inRules.toSorted(),
    );
  });

  it.each(settings)('has values of %s that PATCH takes', (_name, { schema, first, example }) => {
    expect(schema.parse(first)).toEqual(first);
    expect(schema.parse(example)).toEqual(example);
  });

  it('is what the dashboard asks for', () => {
    const asked = new Set(Object.keys(FIELDS).map((part) => part.split('.')[0]));
    expect([...asked].toSorted()).toEqual(names.toSorted());
  });
});

describe('a setting', () => {
  const read = async (id: string) => {
    const { body, text, headers } = await owner.get(`/deploy/${id}/settings`).expect(200);
    return { body, text, etag: headers.etag };
  };

  it('is at first what is declared, also where another one has made a row of rules', async () => {
    const first = Object.fromEntries(settings.map(([name, setting]) => [name, setting.first]));
    const { id } = await owner.deploy();
    expect((await read(id)).body).toEqual(first);
    for (const name of ['redirect_url', 'allowed_origins', 'closed_message', 'spam']) {
      const { id: other } = await owner.deploy();
      const changed = { [name]: settings.find(([one]) => one === name)?.[1].example };
      await owner.change(other, changed);
      expect((await read(other)).body).toEqual({ ...first, ...changed });
    }
  });

  it.each(settings)('%s comes back as it was sent, and takes back what it was at first', async (name, setting) => {
    const { id } = await owner.deploy();
    const before = await read(id);
    await owner.change(id, { [name]: setting.example });
    const { [name]: value } = (await read(id)).body;
    const sent = name === 'recipients' ? [{ email: 'ada@example.org', confirmed: false }] : setting.example;
    expect(value).toEqual(sent);
    await owner.change(id, { [name]: setting.first });
    expect(await read(id)).toEqual(before);
  });

  it('has its place in the answer, on which the ETag depends', async () => {
    const order = [
      ...['email_notifications', 'notify_every', 'notify_owner', 'language', 'retention_days', 'confirmation'],
      ...['opens_at', 'closes_at', 'max_submissions', 'submissions_per_minute', 'recipients', 'redirect_url'],
      ...['allowed_origins', 'closed_message', 'spam'],
    ];
    const { id } = await owner.deploy();
    const { text, body, etag } = await read(id);
    expect(Object.keys(body).filter((name) => order.includes(name))).toEqual(order);
    expect(etag).toBe(etagOf(text));
  });
});

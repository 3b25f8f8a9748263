import type { ClientBase } from 'pg';

/** Whether there is a table of this name. */
export async function tableExists(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name]);
  return rows.some(({ found }) => found);
}

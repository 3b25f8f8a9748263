import type pg from 'pg';

type Settings = Readonly<Record<string, string | number>>;

const BEGIN = /^\s*BEGIN\b/i;

/**
 * Sets these settings at the start of each transaction on a connection: behind a transaction pooler, a setting of the
 * session would reach any session. A statement by itself gets them on the way, without a further round trip.
 */
export function setInEachTransaction(connection: pg.Connection, settings: Settings): void {
  const list = Object.entries(settings);
  const setLocal = list.map(([name, value]) => `SET LOCAL ${name} = ${value}`).join('; ');
  // Answers no row. Outside a block SET LOCAL would leave a warning in Postgres' log.
  const setInPassing = `SELECT WHERE concat(${list.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}) = ''`;
  const parse = connection.parse.bind(connection);
  const query = connection.query.bind(connection);
  const emit = connection.emit.bind(connection);
  let isInTransaction = false;
  /** How many answers of ours are to come, which are no answer to the statement. */
  let hidden = 0;

  connection.parse = (statement, more) => {
    if (!isInTransaction) {
      hidden = 1;
      // Up to the next Sync, all of it is one transaction.
      parse({ name: '', text: setInPassing, types: [] }, true);
      connection.bind({}, true);
      connection.execute({}, true);
    }
    parse(statement, more);
  };
  connection.query = (text) => {
    if (isInTransaction) return query(text);
    hidden = list.length;
    query(BEGIN.test(text) ? `${text.replace(/;\s*$/, '')}; ${setLocal}` : `${setLocal}; ${text}`);
  };
  connection.emit = (event, ...values) => {
    if (event === 'commandComplete' && hidden > 0) {
      hidden -= 1;
      return true;
    }
    return emit(event, ...values);
  };
  connection.on('readyForQuery', ({ status }: { status: string }) => {
    hidden = 0;
    isInTransaction = status !== 'I';
  });
}

import {
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  type SettingsChange,
} from '../../settings/settings.ts';

/*
 * The settings that are columns, as src/settings/settings.ts declares them: each has the name of its setting.
 */

type Table = NonNullable<Setting['column']>['table'];
type NamesIn<In extends Table> = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { column: { table: In } } ? Name : never;
}[SettingName];

/** The settings in a table, as the API has them. */
export type SettingColumns<In extends Table> = Pick<Settings, NamesIn<In>>;

const settingsIn = (table: Table): [name: string, setting: Setting][] =>
  Object.entries<Setting>(SETTINGS).filter(([, { column }]) => column?.table === table);

/** In SQL, the value of a column as the API has it, also where a LEFT JOIN has found no row. */
function asInApi(name: string, { column }: Setting): string {
  if (column?.type === 'timestamptz') return `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return column?.type === 'text[]' ? `coalesce(${name}, '{}')` : name;
}

/** In SQL, the list of a SELECT that reads the settings in a table: each row is a SettingColumns. */
export const selectIn = (table: Table): string =>
  settingsIn(table)
    .map(([name, setting]) => `${asInApi(name, setting)} AS ${name}`)
    .join(', ');

/** Returns the settings in a table as they are until an owner changes them. */
export const firstIn = <In extends Table>(table: In): SettingColumns<In> =>
  Object.fromEntries(settingsIn(table).map(([name, { first }]): unknown[] => [name, first]));

/** Returns the columns of a table that a change writes. Postgres reads them as the API has them. */
export const changesIn = <In extends Table>(table: In, change: SettingsChange): Partial<SettingColumns<In>> =>
  Object.fromEntries(
    settingsIn(table).flatMap(([name]): unknown[][] => {
      const value: unknown = Reflect.get(change, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

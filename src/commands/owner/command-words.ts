import type { Vocabulary } from '../../problems/sentence.ts';

/*
 * The words of the command line for what the API names: a person has typed options and arguments, and calls commands.
 */

/** The options and arguments of a command, by the fields of the API that they are. Other fields, such as settings, keep their names. */
export type FieldNames = Readonly<Record<string, string>>;

/** Returns the command that calls an operation, such as `formhost trash list` for `GET /trash`; undefined where there is none. */
type CommandFor = (route: string) => string | undefined;

/** The words of the command that runs. `loadCommands`: loads the other commands, which takes time, where a sentence may name one. */
export type CommandNames = { fieldNames?: FieldNames; loadCommands?: () => Promise<CommandFor> };

/** Returns the vocabulary of a command. */
export async function commandWords({ fieldNames = {}, loadCommands }: CommandNames): Promise<Vocabulary> {
  const commandFor = await loadCommands?.();
  return {
    words: { deployment: 'page', Deployment: 'Page', send: 'give', Send: 'Give', once: '', plus: '' },
    beforeValue: ' ',
    field: (name) => fieldNames[name],
    operation(route) {
      const command = commandFor?.(route);
      return command === undefined ? undefined : `\`${command}\``;
    },
  };
}

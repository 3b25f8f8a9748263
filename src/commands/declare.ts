import type { Command } from '@commander-js/extra-typings';

export const PAGE_ARGUMENT = 'id of the page, or its slug';

/** Declares a command with `--json`. `help`: examples, after a note if it begins with one. */
export function declare(parent: Command, name: string, description: string, ...help: string[]) {
  const note = help.filter((line) => !line.startsWith('$ ')).map((line) => `\n${line}`);
  const examples = help.filter((line) => line.startsWith('$ ')).map((line) => `  ${line.replace('$ ', '$ formhost ')}`);
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON only: the response of the API, unchanged; messages and errors are JSON too')
    .addHelpText('after', [...note, ...(examples.length > 0 ? ['\nExamples:', ...examples] : [])].join('\n'));
}

/** Declares a command about one page. */
export const forPage = (parent: Command, name: string, description: string, ...help: string[]) =>
  declare(parent, name, description, ...help).argument('<id>', PAGE_ARGUMENT);

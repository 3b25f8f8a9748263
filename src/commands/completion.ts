import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/*
 * Completion in shells: a script for each, which asks `formhost complete -- WORDS` at each tab. The words are passed as they are;
 * no shell evaluates them. An answer has a line for each candidate, with its description after a tab, or is FILES.
 */

/** The shell completes names of files. */
const FILES = ':files';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_formhost() {
  local answer value rest
  COMPREPLY=()
  answer=$(formhost complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$answer" = ${FILES} ]; then
    compopt -o default 2>/dev/null
    return
  fi
  while IFS=$'\\t' read -r value rest; do
    if [ -n "$value" ]; then COMPREPLY+=("$value"); fi
  done <<<"$answer"
}
complete -F _formhost formhost
`,
  zsh: `#compdef formhost
_formhost() {
  local -a candidates
  local line
  for line in "\${(@f)$(formhost complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${FILES} ]]; then
      _files
      return
    fi
    if [[ -n $line ]]; then candidates+=("\${line%%$'\\t'*}:\${line#*$'\\t'}"); fi
  done
  _describe formhost candidates
}
compdef _formhost formhost
`,
  fish: `function __formhost_complete
  set -l word (commandline -ct)
  set -l words (commandline -opc) "$word"
  set -l answer (formhost complete -- $words[2..-1] 2>/dev/null)
  if test "$answer" = ${FILES}
    __fish_complete_path "$word"
  else
    printf '%s\\n' $answer
  end
end
complete -c formhost -f -a '(__formhost_complete)'
`,
};

type Candidate = { value: string; description: string };

const described = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: '' }));

/** What can stand in place of the last word, which may be unfinished. */
function candidatesFor(program: CommandUnknownOpts, words: readonly string[]): Candidate[] | typeof FILES {
  // bash makes three words of --format=csv.
  const [word = '', ...before] = words.filter((one) => one !== '=').toReversed();
  const last = words.at(-1) === '=' ? '' : word;
  const earlier = (words.at(-1) === '=' ? [word, ...before] : before).toReversed();

  let command = program;
  let positionals = 0;
  let awaited: CommandUnknownOpts['options'][number] | undefined;
  for (const one of earlier) {
    if (awaited) {
      awaited = undefined;
      continue;
    }
    if (one.startsWith('-')) {
      const option = command.options.find(({ long, short }) => one === long || one === short);
      if (option?.required) awaited = option;
      continue;
    }
    const inner = command.commands.find((other) => other.name() === one);
    if (inner) [command, positionals] = [inner, 0];
    else positionals += 1;
  }

  if (awaited) return awaited.attributeName() === 'output' ? FILES : described(awaited.argChoices ?? []);
  const help = command.createHelp();
  if (last.startsWith('-')) {
    return help
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
  }
  if (command.commands.length > 0) {
    return help.visibleCommands(command).map((one) => ({ value: one.name(), description: one.description() }));
  }
  const argument = command.registeredArguments[positionals];
  return argument?.name() === 'file' ? FILES : described(argument?.argChoices ?? []);
}

/** The answer to a shell. */
export function complete(program: CommandUnknownOpts, words: readonly string[]): string {
  const candidates = candidatesFor(program, words);
  if (candidates === FILES) return `${FILES}\n`;
  const last = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  return candidates
    .filter(({ value }) => value.startsWith(last))
    .map(({ value, description }) => `${value}\t${description}\n`)
    .join('');
}

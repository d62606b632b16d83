/** `rackwright completion`: shell completion made from the verbs and options that the program really has. */
import { Argument, type Command } from 'commander';
import { surroundingsOf } from './surroundings.ts';

/** One verb with what may follow it. */
interface Node {
  /** Words that lead to it, `images env-create`. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly says: string }[];
  readonly flags: readonly { readonly flag: string; readonly says: string; readonly takes: boolean }[];
}

/** Adds the verb; it must be the last, since it looks at the others. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell').choices(['bash', 'zsh', 'fish']))
    .summary('print a completion script')
    .description('Prints a completion script for a shell.')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  rackwright completion bash > /etc/bash_completion.d/rackwright\n' +
        '  rackwright completion zsh > ~/.zfunc/_rackwright\n' +
        '  rackwright completion fish > ~/.config/fish/completions/rackwright.fish',
    )
    .action((shell: 'bash' | 'zsh' | 'fish', _options: unknown, command: Command) => {
      const write = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
      surroundingsOf(command).stdout.write(write(survey(program)));
    });
}

/** The program and all its verbs, the program first. */
function survey(program: Command): Node[] {
  const nodes: Node[] = [];
  const visit = (command: Command, path: string): void => {
    const own = command.options.map(option => ({ option }));
    const general = command === program ? [] : program.options.map(option => ({ option }));
    const flags = [...own, ...general].flatMap(({ option }) =>
      [option.short, option.long]
        .filter(flag => typeof flag === 'string')
        .map(flag => ({ flag, says: option.description, takes: option.required || option.optional })),
    );
    const verbs = command.commands.map(verb => ({ name: verb.name(), says: verb.summary() }));
    const help = ['-h', '--help'].map(flag => ({ flag, says: 'show help', takes: false }));
    nodes.push({ path, verbs, flags: [...flags, ...help] });
    for (const verb of command.commands) visit(verb, path === '' ? verb.name() : `${path} ${verb.name()}`);
  };
  visit(program, '');
  return nodes;
}

function unique(words: readonly string[]): string {
  return [...new Set(words)].join(' ');
}

function bashScript(nodes: readonly Node[]): string {
  const cases = nodes.map(
    ({ path, verbs, flags }) =>
      `    "${path}") verbs="${unique(verbs.map(verb => verb.name))}" flags="${unique(flags.map(flag => flag.flag))}" ` +
      `takes=" ${unique(flags.filter(flag => flag.takes).map(flag => flag.flag))} " ;;`,
  );
  return `# bash completion of rackwright
_rackwright_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_rackwright() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" verbs="" flags="" takes="" word previous="" i
  _rackwright_words ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ "$takes" == *" $previous "* && -n "$previous" ]]; then
      previous=""
      continue
    fi
    previous="$word"
    [[ "$word" == -* ]] && continue
    if [[ " $verbs " == *" $word "* ]]; then
      path="\${path:+$path }$word"
      _rackwright_words "$path"
      previous=""
    fi
  done
  if [[ -n "$previous" && "$takes" == *" $previous "* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
  fi
}
complete -o default -F _rackwright rackwright
`;
}

function zshScript(nodes: readonly Node[]): string {
  const quote = (text: string): string => text.replace(/[\\"$`:[\]]/g, '\\$&');
  const cases = nodes.map(({ path, verbs, flags }) => {
    const shown = verbs.map(({ name, says }) => `"${name}:${quote(says)}"`).join(' ');
    const options = flags.map(({ flag, says }) => `"${flag}:${quote(says)}"`).join(' ');
    const takes = unique(flags.filter(flag => flag.takes).map(flag => flag.flag));
    return `    "${path}") verbs=(${shown}) flags=(${options}) takes=(${takes}) ;;`;
  });
  return `#compdef rackwright
# zsh completion of rackwright
_rackwright_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_rackwright() {
  local place="" word previous="" i
  local -a verbs flags takes
  _rackwright_words ""
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n "$previous" ]] && (( \${takes[(Ie)$previous]} )); then
      previous=""
      continue
    fi
    previous="$word"
    [[ "$word" == -* ]] && continue
    if (( \${verbs[(I)$word:*]} )); then
      place="\${place:+$place }$word"
      _rackwright_words "$place"
      previous=""
    fi
  done
  if [[ -n "$previous" ]] && (( \${takes[(Ie)$previous]} )); then
    _files
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    _describe option flags
  elif (( \${#verbs} )); then
    _describe verb verbs
  else
    _files
  fi
}
compdef _rackwright rackwright
`;
}

function fishScript(nodes: readonly Node[]): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = ['# fish completion of rackwright', 'complete -c rackwright -f'];
  for (const { path, verbs, flags } of nodes) {
    const words = path.split(' ').filter(word => word !== '');
    const seen = words.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const names = verbs.map(verb => verb.name).join(' ');
    const none = names === '' ? '' : `not __fish_seen_subcommand_from ${names}`;
    const condition = [seen, none].filter(part => part !== '').join('; and ');
    const when = condition === '' ? '' : ` -n ${quote(condition)}`;
    for (const { name, says } of verbs)
      lines.push(`complete -c rackwright${when} -a ${name} -d ${quote(says)}`);
    for (const { flag, says, takes } of flags) {
      const shape = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
      const on = seen === '' ? '' : ` -n ${quote(seen)}`;
      lines.push(`complete -c rackwright${on} ${shape}${takes ? ' -r -F' : ''} -d ${quote(says)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

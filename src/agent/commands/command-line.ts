import * as l10n from '@vscode/l10n';
import type { SyntaxNode } from './command-parser.ts';
import type { Reason } from '../../workspace/verdict.ts';

/** What a shell's syntax tree says a command line runs, as far as that is certain without running it. */
export interface CommandLine {
  /** The words of each simple command, in order and decoded: what the program gets as its arguments. */
  readonly commands: readonly (readonly string[])[];
  /** Why some of it is not certain: substitutions, redirects, control flow, … Then `commands` is not everything. */
  readonly reasons: readonly Reason[];
}

export const commandReasons = {
  syntax: () => ({
    code: 'syntax',
    text: l10n.t('The command could not be understood with certainty.'),
  }),
  substitution: () => ({
    code: 'substitution',
    text: l10n.t('Parts of the command are the output of other commands.'),
  }),
  expansion: () => ({
    code: 'expansion',
    text: l10n.t(
      'Parts of the command are only known when it runs: variables, wildcards or escapes.',
    ),
  }),
  environment: () => ({
    code: 'environment',
    text: l10n.t('It changes variables, which can change what other commands do.'),
  }),
  compound: () => ({
    code: 'compound',
    text: l10n.t('It is a script: functions, conditions, loops or groups.'),
  }),
  redirect: () => ({
    code: 'redirect',
    text: l10n.t('It reads from or writes to a file by redirection.'),
  }),
  background: () => ({
    code: 'background',
    text: l10n.t('It leaves something running in the background.'),
  }),
} satisfies Record<string, () => Reason>;

/** Whether nothing but blanks and line ends stands between the children: no text that the tree leaves out. */
export function isCovered({ text, children }: SyntaxNode): boolean {
  let rest = text;
  for (const child of children) {
    const at = rest.indexOf(child.text);
    if (at < 0 || !isBlank(rest.slice(0, at))) return false;
    rest = rest.slice(at + child.text.length);
  }
  return isBlank(rest);
}

const isBlank = (text: string): boolean => /^[ \t\n]*$/u.test(text);

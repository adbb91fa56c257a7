import * as l10n from '@vscode/l10n';
import type { Reason } from '../../workspace/verdict.ts';

/** A node of a shell's syntax tree, as tree-sitter grammars name them. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly isNamed: boolean;
  readonly hasError: boolean;
  readonly children: readonly SyntaxNode[];
}

export type ShellKind = 'bash' | 'powershell';

/** Parses shell commands with the grammars that the editor itself uses. */
export interface CommandParser {
  /** @returns undefined when the text could not be parsed at all; the rules then ask. */
  parse(shell: ShellKind, text: string): Promise<SyntaxNode | undefined>;
}

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
    const index = rest.indexOf(child.text);
    if (index < 0 || !isBlank(rest.slice(0, index))) return false;
    rest = rest.slice(index + child.text.length);
  }
  return isBlank(rest);
}

const isBlank = (text: string): boolean => /^[ \t\n]*$/u.test(text);

/** What one shell's grammar calls things. */
export interface ShellGrammar {
  /** Nodes that only hold statements. */
  readonly groups: ReadonlySet<string>;
  /** Nodes between statements that mean nothing else. */
  readonly separators: ReadonlySet<string>;
  /** What any part of a command means that is more than a plain word, by the type of its node. */
  readonly meanings: Readonly<Record<string, () => Reason>>;
  /** Nodes that stand where a statement does and are read in a way of their own. */
  readonly statements?: Readonly<Record<string, (node: SyntaxNode, walk: CommandWalk) => void>>;
  /** @returns the words that are certain; what is not goes to `walk.readUnknown` */
  readonly readCommand: (node: SyntaxNode, walk: CommandWalk) => string[];
}

/** Walks a shell's syntax tree. Whatever its grammar does not list as harmless becomes a reason. */
export class CommandWalk {
  readonly #grammar: ShellGrammar;
  readonly #commands: string[][] = [];
  readonly #reasons: Reason[] = [];

  constructor(grammar: ShellGrammar) {
    this.#grammar = grammar;
  }

  read(tree: SyntaxNode): CommandLine {
    if (tree.hasError) this.note(commandReasons.syntax);
    this.#readStatement(tree);
    return { commands: this.#commands, reasons: this.#reasons };
  }

  note(reason: () => Reason): void {
    this.#reasons.push(reason());
  }

  /** Notes what the node means, or `otherwise`, and whatever is inside: the person is told everything. */
  noteUnknown(node: SyntaxNode, fallback: () => Reason): void {
    this.note(this.#meaningOf(node) ?? fallback);
    this.readInside(node);
  }

  readInside(node: SyntaxNode): void {
    for (const child of node.children) {
      const meaning = this.#meaningOf(child);
      if (meaning) this.note(meaning);
      if (child.type === 'command') this.#readCommand(child);
      else this.readInside(child);
    }
  }

  #readStatement(node: SyntaxNode): void {
    const { groups, separators, statements } = this.#grammar;
    const readStatement = statements?.[node.type];
    if (node.type === 'command') this.#readCommand(node);
    else if (readStatement) readStatement(node, this);
    else if (groups.has(node.type)) this.#readGroup(node);
    else if (!separators.has(node.type)) this.noteUnknown(node, commandReasons.compound);
  }

  #readGroup(node: SyntaxNode): void {
    if (node.children.length > 0 && !isCovered(node)) this.note(commandReasons.syntax);
    for (const child of node.children) this.#readStatement(child);
  }

  #readCommand(node: SyntaxNode): void {
    const words = this.#grammar.readCommand(node, this);
    this.#commands.push(words);
  }

  #meaningOf({ type }: SyntaxNode): (() => Reason) | undefined {
    return this.#grammar.meanings[type];
  }
}

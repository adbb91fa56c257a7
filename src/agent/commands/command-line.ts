import * as l10n from '@vscode/l10n';
import type { Reason } from '../../workspace/verdict.ts';

/** Node of a shell's syntax tree, with the type names of the tree-sitter grammars. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly isNamed: boolean;
  readonly hasError: boolean;
  readonly children: readonly SyntaxNode[];
}

export type ShellKind = 'bash' | 'powershell';

/** Parses shell commands with the grammars that VS Code itself uses. */
export interface CommandParser {
  /**
   * Parses a command line.
   * @returns undefined if the text could not be parsed; the rules then require approval
   */
  parse(shell: ShellKind, text: string): Promise<SyntaxNode | undefined>;
}

/** Commands of a command line, as far as they can be determined without running it. */
export interface CommandLine {
  /**
   * Words of each simple command, in order and decoded: the arguments that the program receives.
   */
  readonly commands: readonly (readonly string[])[];
  /** Commands whose input is the output of the previous command. */
  readonly piped: ReadonlySet<readonly string[]>;
  /**
   * Reasons why parts are uncertain: substitutions, redirects, control flow. `commands` is then
   * incomplete.
   */
  readonly reasons: readonly Reason[];
}

export const commandReasons = {
  syntax: () => ({
    code: 'syntax',
    text: l10n.t('The command could not be understood with certainty.'),
  }),
  substitution: () => ({
    code: 'substitution',
    text: l10n.t(
      'Parts of the command are only known when it runs: variables, wildcards or escapes.',
    ),
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

/** Checks that only blanks and line ends separate the children, so that the tree omits no text. */
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

/** Node types of one shell's grammar. */
export interface ShellGrammar {
  /** Types of nodes that contain only statements. */
  readonly groups: ReadonlySet<string>;
  /** Types of nodes that only separate statements. */
  readonly separators: ReadonlySet<string>;
  /** Reasons for parts of a command that are more than a plain word, by node type. */
  readonly reasonsByType: Readonly<Record<string, () => Reason>>;
  /** Functions that read particular types of statement nodes. */
  readonly statements?: Readonly<Record<string, (node: SyntaxNode, walk: CommandWalk) => void>>;
  /**
   * Reads the words of a simple command.
   * @returns the words whose value is certain; calls `walk.noteUnknown` for all others
   */
  readonly readCommand: (node: SyntaxNode, walk: CommandWalk) => string[];
}

/**
 * Walks a shell's syntax tree. Every node that its grammar does not list as harmless becomes a
 * reason.
 */
export class CommandWalk {
  readonly #grammar: ShellGrammar;
  readonly #commands: string[][] = [];
  readonly #piped = new Set<readonly string[]>();
  readonly #reasons: Reason[] = [];

  constructor(grammar: ShellGrammar) {
    this.#grammar = grammar;
  }

  read(tree: SyntaxNode): CommandLine {
    if (tree.hasError) this.note(commandReasons.syntax);
    this.#readStatement(tree, false);
    return { commands: this.#commands, piped: this.#piped, reasons: this.#reasons };
  }

  note(reason: () => Reason): void {
    this.#reasons.push(reason());
  }

  /**
   * Adds the reason of the node, or `fallback`, and the reasons inside it, so that the user sees
   * all of them.
   */
  noteUnknown(node: SyntaxNode, fallback: () => Reason): void {
    this.note(this.#findReason(node) ?? fallback);
    this.readInside(node);
  }

  readInside(node: SyntaxNode): void {
    for (const child of node.children) {
      const reason = this.#findReason(child);
      if (reason) this.note(reason);
      if (child.type === 'command') this.#readCommand(child, false);
      else this.readInside(child);
    }
  }

  #readStatement(node: SyntaxNode, isPiped: boolean): void {
    const { groups, separators, statements } = this.#grammar;
    const readStatement = statements?.[node.type];
    if (node.type === 'command') this.#readCommand(node, isPiped);
    else if (readStatement) readStatement(node, this);
    else if (groups.has(node.type)) this.#readGroup(node, isPiped);
    else if (!separators.has(node.type)) this.noteUnknown(node, commandReasons.compound);
  }

  #readGroup(node: SyntaxNode, isPiped: boolean): void {
    if (node.children.length > 0 && !isCovered(node)) this.note(commandReasons.syntax);
    let isChildPiped = isPiped;
    for (const child of node.children) {
      if (child.type === '|' || child.type === '|&') isChildPiped = true;
      this.#readStatement(child, isChildPiped);
    }
  }

  #readCommand(node: SyntaxNode, isPiped: boolean): void {
    const words = this.#grammar.readCommand(node, this);
    this.#commands.push(words);
    if (isPiped) this.#piped.add(words);
  }

  #findReason({ type }: SyntaxNode): (() => Reason) | undefined {
    return this.#grammar.reasonsByType[type];
  }
}

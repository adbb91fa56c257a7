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

/** Commands of a line, as far as they can be determined without running the line. */
export interface CommandLine {
  /** Decoded words of each simple command, in order: the program and the arguments that it receives. */
  readonly commands: readonly (readonly string[])[];
  /** Items of `commands` that read the output of the previous command in a pipeline. */
  readonly pipedCommands: ReadonlySet<readonly string[]>;
  /**
   * Reasons why parts of the line are uncertain: substitutions, redirects or control flow. If there is a reason,
   * `commands` may be incomplete.
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

/** Checks that only blanks and line breaks are between the child nodes, so that the tree omits no text. */
export function isTextCoveredByChildren({ text, children }: SyntaxNode): boolean {
  let rest = text;
  for (const child of children) {
    const index = rest.indexOf(child.text);
    if (index < 0 || !isBlank(rest.slice(0, index))) return false;
    rest = rest.slice(index + child.text.length);
  }
  return isBlank(rest);
}

const isBlank = (text: string): boolean => /^[ \t\n]*$/u.test(text);

/** Node types of one shell's grammar, and the functions that read these nodes. */
export interface ShellGrammar {
  /** Types of nodes that contain only statements. */
  readonly groupTypes: ReadonlySet<string>;
  /** Types of nodes that only separate statements. */
  readonly separatorTypes: ReadonlySet<string>;
  /**
   * Functions that create the reasons to require approval for parts of a command that are not plain words, by node
   * type.
   */
  readonly reasonFactories: Readonly<Record<string, () => Reason>>;
  /** Functions that read statement nodes, by node type. */
  readonly statementReaders?: Readonly<
    Record<string, (node: SyntaxNode, walk: CommandWalk) => void>
  >;
  /**
   * Reads the words of a simple command.
   * @returns the words whose value is certain; for all others, adds a reason to `walk`
   */
  readonly readCommand: (node: SyntaxNode, walk: CommandWalk) => string[];
}

/**
 * Walks a shell's syntax tree to find the commands. Adds a reason to require approval for every node that the grammar
 * does not list as harmless.
 */
export class CommandWalk {
  readonly #grammar: ShellGrammar;
  readonly #commands: string[][] = [];
  readonly #pipedCommands = new Set<readonly string[]>();
  readonly #reasons: Reason[] = [];

  constructor(grammar: ShellGrammar) {
    this.#grammar = grammar;
  }

  read(tree: SyntaxNode): CommandLine {
    if (tree.hasError) this.addReason(commandReasons.syntax);
    this.#readStatement(tree, false);
    return { commands: this.#commands, pipedCommands: this.#pipedCommands, reasons: this.#reasons };
  }

  addReason(createReason: () => Reason): void {
    this.#reasons.push(createReason());
  }

  /**
   * Adds the reason to require approval for the node, or that of `createFallbackReason` if its node type has no reason
   * of its own. Also adds all reasons inside the node, so that the user sees every reason.
   */
  addNodeReasons(node: SyntaxNode, createFallbackReason: () => Reason): void {
    this.addReason(this.#findReason(node) ?? createFallbackReason);
    this.addChildReasons(node);
  }

  addChildReasons(node: SyntaxNode): void {
    for (const child of node.children) {
      const reason = this.#findReason(child);
      if (reason) this.addReason(reason);
      if (child.type === 'command') this.#readCommand(child, false);
      else this.addChildReasons(child);
    }
  }

  #readStatement(node: SyntaxNode, isPiped: boolean): void {
    const { groupTypes, separatorTypes, statementReaders } = this.#grammar;
    const readStatement = statementReaders?.[node.type];
    if (node.type === 'command') this.#readCommand(node, isPiped);
    else if (readStatement) readStatement(node, this);
    else if (groupTypes.has(node.type)) this.#readGroup(node, isPiped);
    else if (!separatorTypes.has(node.type)) this.addNodeReasons(node, commandReasons.compound);
  }

  #readGroup(node: SyntaxNode, isPiped: boolean): void {
    if (node.children.length > 0 && !isTextCoveredByChildren(node))
      this.addReason(commandReasons.syntax);
    let isChildPiped = isPiped;
    for (const child of node.children) {
      if (child.type === '|' || child.type === '|&') isChildPiped = true;
      this.#readStatement(child, isChildPiped);
    }
  }

  #readCommand(node: SyntaxNode, isPiped: boolean): void {
    const words = this.#grammar.readCommand(node, this);
    this.#commands.push(words);
    if (isPiped) this.#pipedCommands.add(words);
  }

  #findReason({ type }: SyntaxNode): (() => Reason) | undefined {
    return this.#grammar.reasonFactories[type];
  }
}

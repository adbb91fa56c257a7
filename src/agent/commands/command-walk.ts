import { type CommandLine, commandReasons, isCovered } from './command-line.ts';
import type { SyntaxNode } from './command-parser.ts';
import type { Reason } from '../../workspace/verdict.ts';

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
  readUnknown(node: SyntaxNode, otherwise: () => Reason): void {
    this.note(this.#meaningOf(node) ?? otherwise);
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
    const own = statements?.[node.type];
    if (node.type === 'command') this.#readCommand(node);
    else if (own) own(node, this);
    else if (groups.has(node.type)) this.#readGroup(node);
    else if (!separators.has(node.type)) this.readUnknown(node, commandReasons.compound);
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

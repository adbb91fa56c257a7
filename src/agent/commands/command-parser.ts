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

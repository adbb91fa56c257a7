import { type CommandLine, commandReasons, isCovered } from './command-line.ts';
import type { SyntaxNode } from './command-parser.ts';
import { CommandWalk } from './command-walk.ts';
import type { Reason } from '../../workspace/verdict.ts';

/** Reads a tree of the PowerShell grammar. Whatever is not listed here as harmless becomes a reason. */
export function readPowerShell(tree: SyntaxNode): CommandLine {
  const walk = new CommandWalk({ groups, separators, meanings, readCommand });
  // PowerShell takes typographic quotes and dashes for plain ones; this grammar does not.
  if (/[^\n\t\x20-\x7e]/u.test(tree.text)) walk.note(commandReasons.syntax);
  return walk.read(tree);
}

const groups: ReadonlySet<string> = new Set([
  'program',
  'statement_list',
  'pipeline',
  'pipeline_chain',
]);
const separators: ReadonlySet<string> = new Set([
  '|',
  ';',
  'empty_statement',
  'pipeline_chain_tail',
  'comment',
]);

/** Redirections that neither read nor write a file; without blanks. */
const harmlessRedirects: ReadonlySet<string> = new Set(['2>&1', '>$null', '2>$null', '*>$null']);

const meanings: Readonly<Record<string, () => Reason>> = {
  ERROR: commandReasons.syntax,
  sub_expression: commandReasons.substitution,
  parenthesized_expression: commandReasons.substitution,
  variable: commandReasons.expansion,
  braced_variable: commandReasons.expansion,
  stop_parsing: commandReasons.expansion,
  assignment_expression: commandReasons.environment,
  script_block: commandReasons.compound,
  function_statement: commandReasons.compound,
  invokation_expression: commandReasons.compound,
  redirection: commandReasons.redirect,
};

function readCommand(node: SyntaxNode, walk: CommandWalk): string[] {
  const words: string[] = [];
  if (![node, ...node.children].every((each) => each.children.length === 0 || isCovered(each))) {
    walk.note(commandReasons.syntax);
  }
  const parts = node.children.flatMap((child) =>
    child.type === 'command_elements' ? child.children : [child],
  );
  for (const part of parts) {
    if (part.type === 'command_argument_sep') continue;
    const isCall = part.type === 'command_invokation_operator';
    const word = isCall ? undefined : plainWord(part.text);
    if (word !== undefined) words.push(word);
    else if (!isHarmless(part)) walk.readUnknown(part, commandReasons.expansion);
  }
  return words;
}

function isHarmless({ text }: SyntaxNode): boolean {
  return harmlessRedirects.has(text.replaceAll(' ', ''));
}

/** By its letters, not by the tree: the grammar takes some redirections for words. */
function plainWord(text: string): string | undefined {
  if (/^[A-Za-z0-9_./\\+-][A-Za-z0-9_./\\:=+~^-]*$/u.test(text) && !text.startsWith('--%')) {
    return text;
  }
  if (/^'[^']*'$/u.test(text) || /^"[^"$`]*"$/u.test(text)) return text.slice(1, -1);
  return undefined;
}

import {
  type CommandLine,
  commandReasons,
  CommandWalk,
  isTextCoveredByChildren,
  type SyntaxNode,
} from './command-line.ts';
import { isHarmlessRedirect } from './command-text.ts';
import { isReadingCmdlet } from './reading-cmdlets.ts';
import type { Reason } from '../../workspace/verdict.ts';

/**
 * Reads the commands of a Bash syntax tree. Adds a reason to require approval for every node that is not listed here as
 * harmless.
 */
export function readBashCommands(tree: SyntaxNode): CommandLine {
  return new CommandWalk({
    groupTypes: bashGroupTypes,
    separatorTypes: bashSeparatorTypes,
    reasonFactories: bashReasonFactories,
    statementReaders: bashStatementReaders,
    readCommand: readBashCommand,
  }).read(tree);
}

const bashGroupTypes: ReadonlySet<string> = new Set([
  'program',
  'list',
  'pipeline',
  'redirected_statement',
]);
const bashSeparatorTypes: ReadonlySet<string> = new Set([
  'comment',
  ...['&&', '||', ';', '|', '|&', '\n'],
]);

/**
 * Functions that create the reasons to require approval for parts of a command that are not plain words, by node type.
 */
const bashReasonFactories: Readonly<Record<string, () => Reason>> = {
  ERROR: commandReasons.syntax,
  command_substitution: commandReasons.substitution,
  process_substitution: commandReasons.substitution,
  simple_expansion: commandReasons.expansion,
  expansion: commandReasons.expansion,
  arithmetic_expansion: commandReasons.expansion,
  brace_expression: commandReasons.expansion,
  ansi_c_string: commandReasons.expansion,
  translated_string: commandReasons.expansion,
  variable_assignment: commandReasons.environment,
  variable_assignments: commandReasons.environment,
  declaration_command: commandReasons.environment,
  unset_command: commandReasons.environment,
  function_definition: commandReasons.compound,
  heredoc_redirect: commandReasons.redirect,
  herestring_redirect: commandReasons.redirect,
};

const bashStatementReaders = {
  file_redirect: checkRedirect,
  '&': (_: SyntaxNode, walk: CommandWalk): void => walk.addReason(commandReasons.background),
};

function readBashCommand(node: SyntaxNode, walk: CommandWalk): string[] {
  const words: string[] = [];
  if (!isTextCoveredByChildren(node)) walk.addReason(commandReasons.syntax);
  for (const child of node.children) {
    const word =
      child.type === 'command_name' ? readProgramWord(child.text) : readLiteralWord(child);
    if (word !== undefined) words.push(word);
    else if (child.type === 'file_redirect') checkRedirect(child, walk);
    else walk.addNodeReasons(child, commandReasons.expansion);
  }
  return words;
}

/**
 * Returns a program name that is written without quotes or escapes; undefined for any other name, because the rules
 * recognize only plainly written names.
 */
const readProgramWord = (text: string): string | undefined =>
  text.includes('\\') ? undefined : readUnquotedWord(text);

function checkRedirect(node: SyntaxNode, walk: CommandWalk): void {
  if (!isHarmlessRedirect(node.text)) walk.addReason(commandReasons.redirect);
  walk.addChildReasons(node);
}

/** Returns the argument that Bash passes for a word without expansions; undefined for any other word. */
function readLiteralWord(node: SyntaxNode): string | undefined {
  if (node.type === 'word' || node.type === 'number') return readUnquotedWord(node.text);
  if (node.type === 'raw_string') return node.text.slice(1, -1);
  if (node.type === 'string') return readQuotedWord(node.text);
  if (node.type === 'concatenation') return readConcatenatedWord(node);
  return undefined;
}

/**
 * Returns the value of an unquoted word of letters, digits, escaped quotes and characters without a special meaning at
 * their position. A tilde, for example, means the home folder only at the start of a word. Returns undefined for any
 * other word.
 */
function readUnquotedWord(text: string): string | undefined {
  const isLiteral = /^(?:[\p{L}\p{M}\p{N}_./:@%+,^#~=-]|\\['"])+$/u.test(text);
  return isLiteral && !/^[~=#]|[=:]~/u.test(text)
    ? text.replaceAll(/\\(?<quote>['"])/gu, '$<quote>')
    : undefined;
}

function readQuotedWord(text: string): string | undefined {
  // A backslash is literal unless it precedes one of the characters that stay special in quotes.
  return /^"(?:[^"$`\\]|\\[^\n])*"$/u.test(text)
    ? text.slice(1, -1).replaceAll(/\\(?<escaped>["$`\\])/gu, '$<escaped>')
    : undefined;
}

function readConcatenatedWord(node: SyntaxNode): string | undefined {
  if (node.children.map(({ text }) => text).join('') !== node.text) return undefined;
  const wordParts = node.children.map(readLiteralWord);
  return wordParts.includes(undefined) ? undefined : wordParts.join('');
}

/**
 * Reads the commands of a PowerShell syntax tree. Adds a reason to require approval for every node that is not listed
 * here as harmless.
 */
export function readPowerShellCommands(tree: SyntaxNode): CommandLine {
  const walk = new CommandWalk({
    groupTypes: powershellGroupTypes,
    separatorTypes: powershellSeparatorTypes,
    reasonFactories: powershellReasonFactories,
    readCommand: readPowershellCommand,
  });
  // PowerShell treats typographic quotes and dashes like ASCII quotes and dashes, but the grammar
  // does not.
  if (/[^\n\t\x20-\x7e]/u.test(tree.text)) walk.addReason(commandReasons.syntax);
  return walk.read(tree);
}

const powershellGroupTypes: ReadonlySet<string> = new Set([
  'program',
  'statement_list',
  'pipeline',
  'pipeline_chain',
]);
const powershellSeparatorTypes: ReadonlySet<string> = new Set([
  '|',
  ';',
  'empty_statement',
  'pipeline_chain_tail',
  'comment',
]);

/** Matches a redirection that neither reads nor writes a file. Blanks are allowed only before the destination. */
const harmlessPowershellRedirectPattern = /^(?:2>&1|[2*]?> *\$null)$/u;

const powershellReasonFactories: Readonly<Record<string, () => Reason>> = {
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

function readPowershellCommand(node: SyntaxNode, walk: CommandWalk): string[] {
  const words: string[] = [];
  const isPassedToProgram = !isCmdlet(node);
  if (
    ![node, ...node.children].every(
      (syntaxNode) => syntaxNode.children.length === 0 || isTextCoveredByChildren(syntaxNode),
    )
  ) {
    walk.addReason(commandReasons.syntax);
  }
  const parts = node.children.flatMap((child) =>
    child.type === 'command_elements' ? child.children : [child],
  );
  for (const part of parts) {
    if (part.type === 'command_argument_sep') continue;
    const isCallOperator = part.type === 'command_invokation_operator';
    const word = isCallOperator ? undefined : readPowershellWord(part.text);
    if (word !== undefined && !(isPassedToProgram && canBeReparsed(word))) words.push(word);
    else if (!harmlessPowershellRedirectPattern.test(part.text))
      walk.addNodeReasons(part, commandReasons.expansion);
  }
  return words;
}

/** Checks whether PowerShell itself runs the command instead of starting a program. */
const isCmdlet = ({ children }: SyntaxNode): boolean =>
  isReadingCmdlet(children.find(({ type }) => type === 'command_name')?.text ?? '');

/**
 * Checks whether a program may receive a word in a changed form. Old versions of PowerShell do not escape inner quotes
 * and drop empty words, and batch files parse their arguments again.
 */
const canBeReparsed = (word: string): boolean => word === '' || /["'&|<>^%]|\s.*\\$/su.test(word);

/**
 * Returns the literal value of a PowerShell word; undefined if the word has no literal value. Checks characters instead
 * of the syntax tree, because the grammar parses some redirections as words.
 */
function readPowershellWord(text: string): string | undefined {
  if (/^[A-Za-z0-9_./\\+-][A-Za-z0-9_./\\:=+~^-]*$/u.test(text) && !text.startsWith('--%')) {
    return text;
  }
  if (/^'[^']*'$/u.test(text) || /^"[^"$`]*"$/u.test(text)) return text.slice(1, -1);
  return undefined;
}

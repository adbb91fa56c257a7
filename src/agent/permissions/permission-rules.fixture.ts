import type { CommandFilePorts } from './command-access.ts';
import { Grants, type GrantScope, type GrantStore } from './grants.ts';
import { PermissionRules, type PermissionScope, type UnreviewedEdit } from './permission-rules.ts';
import type { SyntaxNode } from '../commands/command-line.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';
import type { ToolResource, Tool, ToolKind, ToolPlan } from '../tool.ts';
import { findPathNameProblem, type PathFacts } from '../../workspace/path-rules.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/** Dependencies of the permission rules that a test can replace. */
interface RulePorts {
  readonly inspectPath: (path: string) => Promise<PathFacts>;
  readonly parse: (shell: string, text: string) => Promise<SyntaxNode | undefined>;
  readonly unreviewedEdits: readonly UnreviewedEdit[];
  readonly isReadOnlyAllowed: boolean;
  readonly startSearch: CommandFilePorts['startSearch'];
  readonly findUnprotectedConfiguration: CommandFilePorts['findUnprotectedConfiguration'];
  readonly findConfiguredProgram: CommandFilePorts['findConfiguredProgram'];
  readonly isStoredFileName: CommandFilePorts['isStoredFileName'];
  /**
   * Store of confirmed edits, which are the edits that earlier approval requests listed. Later requests omit these
   * edits.
   */
  readonly confirmedEdits: GrantStore;
  /** Grants that an earlier session stored, unvalidated. */
  readonly storedGrants: unknown;
}

export function createGrantStore(value?: unknown): GrantStore {
  let stored = value;
  return { get: () => stored, set: (newValue) => void (stored = newValue) };
}

export function createRules({
  inspectPath = createFactsByName,
  parse = parseWords,
  unreviewedEdits = [],
  isReadOnlyAllowed = false,
  startSearch = () => () => Promise.resolve(undefined),
  findUnprotectedConfiguration = () => Promise.resolve(undefined),
  findConfiguredProgram = () => Promise.resolve(undefined),
  isStoredFileName = () => Promise.resolve(false),
  confirmedEdits = createGrantStore(),
  storedGrants,
}: Partial<RulePorts> = {}) {
  const grants = new Grants(createGrantStore(storedGrants));
  const rules = new PermissionRules({
    grants,
    inspectPath,
    parser: { parse },
    commandFiles: {
      // Names of operands are not restricted: an option counts as the name of a missing file.
      inspectOperand: async (_, operand) => ({
        ...(operand.startsWith('-') ? createWorkspaceFacts(operand) : await inspectPath(operand)),
        kind: operand === 'src' ? 'directory' : 'missing',
      }),
      startSearch,
      listChangedFiles: () => Promise.resolve([]),
      isStoredFileName,
      findListedSecretReason: () => Promise.resolve(undefined),
      findUnprotectedConfiguration,
      findConfiguredProgram,
      readOutput: () => Promise.resolve(undefined),
    },
    getShell: () => 'bash',
    listUnreviewedEdits: () => Promise.resolve(unreviewedEdits),
    confirmedEditStore: confirmedEdits,
    isReadOnlyAllowed: () => isReadOnlyAllowed,
  });
  return { rules, grants };
}

/**
 * Returns path facts derived from the name alone, as for an existing file that is not a symbolic link.
 * @throws ToolError for a refused path name
 */
export async function createFactsByName(path: string): Promise<PathFacts> {
  const refusal = findPathNameProblem(path);
  if (refusal !== undefined) throw new ToolError('refused-path', refusal.text);
  const inside = !path.startsWith('/') && !path.startsWith('..');
  const facts = createWorkspaceFacts(path === '.' ? '' : path);
  return { ...facts, isInWorkspace: inside, isRealPathInWorkspace: inside };
}

const createWorkspaceFacts = (path: string): PathFacts => ({
  path,
  isInWorkspace: true,
  realPath: path,
  isRealPathInWorkspace: true,
  isLink: false,
  kind: 'file',
});

/** Returns the syntax tree of commands that consist of plain words and are separated by `&&`. */
async function parseWords(_: string, text: string): Promise<SyntaxNode> {
  const [firstCommand = '', ...otherCommands] = text.split(' && ');
  return createNode(
    'program',
    text,
    otherCommands.reduce(
      (tree, command) =>
        createNode('list', `${tree.text} && ${command}`, [
          tree,
          createNode('&&', '&&'),
          parseCommand(command),
        ]),
      parseCommand(firstCommand),
    ),
  );
}

function parseCommand(text: string): SyntaxNode {
  const words = text.split(' ').map((word, index) => {
    if (/^[A-Z]+=/u.test(word)) return createNode('variable_assignment', word);
    return index === 0
      ? createNode('command_name', word, [createNode('word', word)])
      : createNode('word', word);
  });
  return createNode('command', text, words);
}

function createNode(
  type: string,
  text: string,
  children: SyntaxNode | readonly SyntaxNode[] = [],
): SyntaxNode {
  return { type, text, isNamed: /^\w/u.test(type), hasError: false, children: [children].flat() };
}

export const createPlan = (...resources: ToolResource[]): ToolPlan => ({
  verb: 'Do',
  target: 'it',
  resources,
});

export const createTool = (name: string, kind: ToolKind, description = ''): Tool => ({
  name,
  kind,
  description,
  parameters: {},
  plan: () => Promise.reject(new Error('Not asked.')),
  run: () => Promise.reject(new Error('Not asked.')),
});

export const createChatScope = (
  conversationId: string,
  level: PermissionLevel = 'ask',
): PermissionScope => ({
  conversationId,
  level,
});

/** Checks the permission of a call, and stores a grant with the given scope if the rules offer one. */
export async function rememberCall(
  rules: PermissionRules,
  called: Tool,
  call: ToolPlan,
  scope: GrantScope,
  inChat: PermissionScope,
): Promise<void> {
  const permission = await rules.evaluateCall(called, call, inChat);
  await rules.storeGrant(permission, scope, inChat.conversationId);
}

import * as l10n from '@vscode/l10n';
import {
  type CommandPorts,
  CommandRules,
  type InspectedPath,
  type EvaluatedResource,
} from './command-rules.ts';
import {
  type CommandGrant,
  type Grant,
  type Grants,
  type GrantScope,
  type GrantStore,
  isGrantable,
} from './grants.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';
import type { ToolResource, Tool, ToolPlan } from '../tool.ts';
import {
  findOutsideWorkspaceGrant,
  evaluatePathAccess,
  type PathAccess,
  type PathFacts,
} from '../../workspace/path-rules.ts';
import type { TextChange } from '../../workspace/remote-reference.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { allowedVerdict, combineVerdicts, type Verdict } from '../../workspace/verdict.ts';

/**
 * Facts about a call that determine the decision of the rules. Omits the call's own description, which could be
 * misleading.
 */
export interface DecisionRequest {
  readonly tool: Pick<Tool, 'name' | 'kind'>;
  /** Key that distinguishes the tool from other tools of the same name. */
  readonly toolKey: string;
  readonly resources: readonly ToolResource[];
  /** Verdicts of all accessed resources, in any order. */
  readonly verdicts: readonly Verdict[];
  /**
   * Files outside the workspace to which a grant is limited; `toolKey` contains them. Empty for a grant that is not
   * limited to files, undefined if no grant can cover the call.
   */
  readonly outsideFiles: readonly string[] | undefined;
  /** Command prefixes that no grant covers yet; undefined if no grant can cover one of the commands. */
  readonly commands: readonly CommandGrant[] | undefined;
  readonly grants: Grants;
  readonly conversationId: string;
  readonly level: PermissionLevel;
  /** Edits to list before a granted command runs workspace code; empty for a call that runs no workspace code. */
  readonly editsToConfirm: readonly UnreviewedEdit[];
}

/** Chat in which a tool call runs. Its grants and permission level apply to the call. */
export interface PermissionScope {
  readonly conversationId: string;
  readonly level: PermissionLevel;
}

/** A verdict, with the grants that the user can choose in the approval request. */
export interface Permission extends Verdict {
  /** Scopes of the grants that the approval request offers; empty if the answer applies only to this call. */
  readonly remember: readonly GrantScope[];
  /** Description of the calls that a grant would allow; empty if no grant is offered. */
  readonly rememberWhat: string;
  /** Grant that `rememberWhat` describes; undefined if no grant is offered. */
  readonly grant: Grant | undefined;
  /**
   * Keys (`UnreviewedEdit.key`) of the edits that the approval request lists. After an approval, later requests omit
   * these edits.
   */
  readonly editKeys: readonly string[];
}

/** An edit of the agent that the user has neither accepted nor rejected. */
export interface UnreviewedEdit {
  /** Id of the file and its edited content, so a further edit of the file has a different key. */
  readonly key: string;
  /** Path for display. */
  readonly label: string;
}

/**
 * Returns the strictest of all verdicts. A granted call requires no approval. A call that only edits files inside the
 * workspace requires approval only at the level that asks before changes.
 */
export function decidePermission(request: DecisionRequest): Permission {
  const { tool, toolKey, grants, conversationId, level, editsToConfirm } = request;
  const strictestVerdict = combineVerdicts([
    ...request.verdicts,
    ...checkUndeclaredEffects(request),
  ]);
  const permissionWithoutGrant: Permission = {
    ...strictestVerdict,
    reasons: removeDuplicateReasons(strictestVerdict),
    ...noGrantOffer,
  };
  if (strictestVerdict.decision === 'allow' && editsToConfirm.length > 0 && level !== 'runCommands')
    return requireApprovalForEdits(editsToConfirm);
  if (strictestVerdict.decision !== 'ask' || !strictestVerdict.isRememberable)
    return permissionWithoutGrant;
  const { outsideFiles } = request;
  const isLimitedToFiles = outsideFiles !== undefined && outsideFiles.length > 0;
  const mustBeLimited = hasEffects(tool.kind) && reachesOutsideWorkspace(request);
  if (outsideFiles === undefined || (mustBeLimited && !isLimitedToFiles))
    return { ...permissionWithoutGrant, isRememberable: false };
  if (level !== 'ask' && isWorkspaceEdit(request)) return { ...allowedVerdict, ...noGrantOffer };
  const remember = listGrantScopes(request);
  // For commands, the command gate has applied the grants already, because each covers certain
  // words.
  if (tool.kind !== 'command' && grants.allowsTool(toolKey, conversationId, remember)) {
    return { ...allowedVerdict, ...noGrantOffer };
  }
  const grant = createGrant(request);
  if (remember.length === 0 || !isGrantable(grant))
    return { ...permissionWithoutGrant, isRememberable: false };
  return {
    ...permissionWithoutGrant,
    remember,
    rememberWhat: describeGrant(grant, request),
    grant,
  };
}

const noGrantOffer = {
  remember: [],
  rememberWhat: '',
  grant: undefined,
  editKeys: [],
} as const;

/**
 * Maximum number of files that an approval request lists by name. For further files, it shows only their number. The
 * approval covers all files.
 */
const maxListedEdits = 200;

/**
 * Requires approval before a granted command runs code from the workspace that can contain unreviewed edits of the
 * agent.
 */
function requireApprovalForEdits(edits: readonly UnreviewedEdit[]): Permission {
  const labels = [...new Set(edits.map(({ label }) => label))];
  const listedLabels = labels.slice(0, maxListedEdits).join(', ');
  const remainingCount = labels.length - maxListedEdits;
  const text =
    remainingCount > 0
      ? l10n.t(
          'It runs after edits that you have not reviewed: {0}.',
          `${listedLabels} +${remainingCount}`,
        )
      : l10n.t('It runs after edits that you have not reviewed: {0}.', listedLabels);
  return {
    decision: 'ask',
    reasons: [{ code: 'unreviewed', text }],
    isRememberable: false,
    ...noGrantOffer,
    editKeys: edits.map(({ key }) => key),
  };
}

/**
 * Checks whether a call only changes or creates files inside the workspace. Other rules decide which of these files it
 * may change.
 */
const isWorkspaceEdit = (request: DecisionRequest): boolean =>
  request.tool.kind === 'edit' &&
  !reachesOutsideWorkspace(request) &&
  request.resources.every((resource) => resource.type === 'path' && resource.access === 'write');

const reachesOutsideWorkspace = ({ verdicts }: DecisionRequest): boolean =>
  verdicts.some(({ reasons }) => reasons.some(({ code }) => code === 'outside-workspace'));

/**
 * Requires approval each time if a tool does not declare its changes, or accesses resources of a kind other than its
 * own. A grant for one kind must not allow another kind.
 */
function checkUndeclaredEffects({
  tool: { kind },
  resources,
}: DecisionRequest): readonly Verdict[] {
  const changesPaths = resources.some(
    (resource) => resource.type === 'path' && resource.access !== 'read',
  );
  // A cost declares no effect of the tool.
  const isOfKind = ({ type }: ToolResource): boolean =>
    type === kind || type === 'cost' || (type === 'own-process' && kind === 'command');
  const isDeclared =
    kind === 'edit'
      ? changesPaths
      : resources.some((resource) => resource.type !== 'cost' && isOfKind(resource));
  const reachesOtherKind = resources.some(
    (resource) => resource.type !== 'path' && !isOfKind(resource),
  );
  const changesOtherKind = changesPaths && kind !== 'edit';
  if (!reachesOtherKind && !changesOtherKind && (isDeclared || !hasEffects(kind))) return [];
  const text = l10n.t('The effects of this tool are unknown.');
  return [{ decision: 'ask', reasons: [{ code: 'unstated', text }], isRememberable: false }];
}

/**
 * Returns the scopes of the grants that may be offered and stored: none for deletions and moves; only `conversation`
 * for charged calls, files outside the workspace, and tools that change nothing.
 */
function listGrantScopes(request: DecisionRequest): readonly GrantScope[] {
  const { tool, resources } = request;
  if (resources.some((resource) => resource.type === 'path' && isRemoval(resource.access)))
    return [];
  const isConversationOnly =
    resources.some(({ type }) => type === 'cost') ||
    !hasEffects(tool.kind) ||
    reachesOutsideWorkspace(request);
  return isConversationOnly ? ['conversation'] : ['conversation', 'always'];
}

const isRemoval = (access: PathAccess): boolean => access === 'delete' || access === 'move';

const hasEffects = (kind: Tool['kind']): boolean =>
  kind === 'edit' || kind === 'command' || kind === 'external';

const createGrant = ({ tool, toolKey, commands }: DecisionRequest): Grant =>
  tool.kind === 'command'
    ? { type: 'commands', commands: commands ?? [] }
    : { type: 'tool', key: toolKey };

function describeGrant(
  grant: Grant,
  { tool: { name, kind }, resources, outsideFiles = [] }: DecisionRequest,
): string {
  if (grant.type === 'commands') {
    const quotedPrefixes = grant.commands.map(({ words }) => `"${words.join(' ')}"`);
    const folders = grant.commands.map(({ folder }) =>
      folder === '.' ? l10n.t('the workspace folder itself') : folder,
    );
    return l10n.t(
      'commands in {0} that begin with {1}',
      joinWithOr(folders),
      joinWithOr(quotedPrefixes),
    );
  }
  const costResource = resources.find(({ type }) => type === 'cost');
  const externalResource = resources.find(({ type }) => type === 'external');
  const host = externalResource?.type === 'external' ? externalResource.ownTool?.host : undefined;
  const targetText = [...(host === undefined ? [] : [host]), ...outsideFiles].join(', ');
  const callText =
    targetText === ''
      ? l10n.t('calls of {0}', name)
      : l10n.t('calls of {0} for {1}', name, targetText);
  if (costResource?.type === 'cost')
    return l10n.t('{0} that cost {1} each', callText, costResource.price);
  if (kind === 'external' || outsideFiles.length > 0) return callText;
  return kind === 'edit'
    ? l10n.t('calls of {0} inside the workspace', name)
    : l10n.t('calls of {0} outside the workspace', name);
}

const joinWithOr = (texts: readonly string[]): string =>
  [...new Set(texts)].reduce((joinedText, item) => l10n.t('{0} or {1}', joinedText, item));

function removeDuplicateReasons({ reasons }: Verdict): Verdict['reasons'] {
  return [...new Map(reasons.map((reason) => [`${reason.code} ${reason.text}`, reason])).values()];
}

export interface PermissionPorts extends CommandPorts {
  /**
   * Resolves a path and returns the facts about it that the rules check.
   * @throws ToolError for a path that no rule may allow
   */
  readonly inspectPath: (path: string) => Promise<PathFacts>;
  /** Lists the edits that wait for the user's review, from all turns of all chats. */
  readonly listUnreviewedEdits: () => Promise<readonly UnreviewedEdit[]>;
  /** Store for the keys (`UnreviewedEdit.key`) of edits that approved requests listed. */
  readonly confirmedEditStore: GrantStore;
}

/**
 * Decides whether a call is allowed, is refused or requires approval. Considers the call's resources, the working
 * directory of a command, and the user's grants.
 */
export class PermissionRules {
  readonly #ports: PermissionPorts;
  readonly #commandRules: CommandRules;
  /** Keys (`UnreviewedEdit.key`) of the edits that approved requests listed, oldest first. */
  readonly #confirmedEdits: Set<string>;
  /** Keys (`UnreviewedEdit.key`) of the edits that waited for review when the rules last listed them. */
  #unreviewedKeys: ReadonlySet<string> = new Set();

  constructor(ports: PermissionPorts) {
    this.#ports = ports;
    this.#commandRules = new CommandRules(ports);
    this.#confirmedEdits = new Set(readEditKeys(ports.confirmedEditStore.get()));
  }

  /**
   * Decides whether a call is allowed, is refused or requires approval.
   * @param signal Ends a long search for secret files; the call then requires approval.
   * @throws if a file cannot be checked; the call must then not run
   */
  async evaluateCall(
    tool: Tool,
    { resources }: ToolPlan,
    { conversationId, level }: PermissionScope,
    signal?: AbortSignal,
  ): Promise<Permission> {
    const { grants } = this.#ports;
    const results = await Promise.all(
      resources.map((resource) => this.#evaluateResource(resource, conversationId, signal)),
    );
    const commands = results.map((result) => result.commands);
    const outsideFiles = listOutsideFiles(results, tool.kind);
    const runsCode = results.some((result) => result.runsCode);
    return decidePermission({
      tool,
      toolKey: await createToolKey(tool, resources, outsideFiles ?? []),
      resources,
      verdicts: results.map(({ verdict }) => verdict),
      outsideFiles: outsideFiles && [...new Set(outsideFiles.map(({ file }) => file))],
      commands: commands.every((prefixes) => prefixes !== undefined) ? commands.flat() : undefined,
      grants,
      conversationId,
      level,
      editsToConfirm: runsCode ? await this.#listUnreviewedEdits() : [],
    });
  }

  async #listUnreviewedEdits(): Promise<readonly UnreviewedEdit[]> {
    const edits = await this.#ports.listUnreviewedEdits();
    this.#unreviewedKeys = new Set(edits.map(({ key }) => key));
    return edits.filter(({ key }) => !this.#confirmedEdits.has(key));
  }

  /**
   * Stores the listed edits as confirmed, so that later approval requests omit them. Call this after the user approves
   * the call.
   */
  recordConfirmedEdits({ editKeys }: Permission): void {
    if (editKeys.length === 0) return;
    for (const key of editKeys) this.#confirmedEdits.add(key);
    // An edit that no longer waits for review needs no key.
    const storedKeys = [...this.#confirmedEdits].filter((key) => this.#unreviewedKeys.has(key));
    void this.#ports.confirmedEditStore.set(storedKeys.slice(-maxStoredEdits));
  }

  /**
   * Stores the grant that the approval request showed, even if the path in the request now leads to a different file.
   */
  async storeGrant(
    { remember, grant }: Permission,
    scope: GrantScope,
    conversationId: string,
  ): Promise<void> {
    if (grant === undefined || !remember.includes(scope)) return;
    await this.#ports.grants.addGrant(grant, scope, conversationId);
  }

  async #evaluateResource(
    resource: ToolResource,
    conversationId: string,
    signal: AbortSignal | undefined,
  ): Promise<EvaluatedResource> {
    if (resource.type === 'external')
      return { verdict: createExternalVerdict(resource), commands: [] };
    if (resource.type === 'cost')
      return { verdict: createCostVerdict(resource.price), commands: [] };
    if (resource.type === 'own-process') return { verdict: allowedVerdict, commands: [] };
    if (resource.type === 'command') {
      const folder = await this.#inspectPath(resource.cwd === '' ? '.' : resource.cwd, 'read');
      // In a missing folder, all operands are missing, and would count as harmless.
      if (folder.facts?.kind === 'missing') {
        const text = l10n.t('It is neither a file nor a folder.');
        const reasons = [{ code: 'missing-folder', text }];
        return { verdict: { decision: 'refuse', reasons, isRememberable: false }, commands: [] };
      }
      return this.#commandRules.evaluateCommand({ ...resource, conversationId, folder, signal });
    }
    const { path, access, change } = resource;
    const { verdict, facts } = await this.#inspectPath(path, access, change);
    return {
      verdict,
      commands: [],
      outsideWorkspaceGrant: facts && findOutsideWorkspaceGrant(facts, access),
    };
  }

  async #inspectPath(
    path: string,
    access: PathAccess,
    change?: TextChange,
  ): Promise<InspectedPath> {
    try {
      const facts = await this.#ports.inspectPath(path);
      return { verdict: evaluatePathAccess(facts, access, change), facts };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const reason = { code: error.code, text: error.message };
      return { verdict: { decision: 'refuse', reasons: [reason], isRememberable: false } };
    }
  }
}

interface OutsideFile {
  readonly access: PathAccess;
  readonly file: string;
}

/**
 * Returns the files outside the workspace to which a grant is limited: all of them if the tool has effects or reads a
 * location of personal or system settings; otherwise none. Returns undefined if one of these files cannot be named.
 */
function listOutsideFiles(
  results: readonly EvaluatedResource[],
  kind: Tool['kind'],
): readonly OutsideFile[] | undefined {
  const grants = results.flatMap(({ outsideWorkspaceGrant }) => outsideWorkspaceGrant ?? []);
  if (!hasEffects(kind) && grants.every(({ scope }) => scope === 'all')) return [];
  const files = grants.flatMap(({ scope, access, file }) =>
    scope === 'none' || file === undefined ? [] : [{ access, file }],
  );
  return files.length < grants.length ? undefined : files;
}

/** Maximum number of keys of approved edits to store. The oldest keys are removed first. */
const maxStoredEdits = 5_000;
/** Maximum length in characters of a stored key of an edit. Longer keys are ignored. */
const maxEditKeyLength = 10_000;

const readEditKeys = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.filter((key) => typeof key === 'string' && key.length <= maxEditKeyLength)
    : [];

const createExternalVerdict = ({
  ownTool,
}: Extract<ToolResource, { type: 'external' }>): Verdict => ({
  decision: 'ask',
  // For tools of this extension, the price is a sufficient reason.
  reasons: ownTool
    ? []
    : [{ code: 'external', text: l10n.t('The tool belongs to another extension.') }],
  isRememberable: ownTool?.shouldAlwaysAsk !== true,
});

const createCostVerdict = (price: string): Verdict => ({
  decision: 'ask',
  reasons: [
    {
      code: 'cost',
      text:
        price === ''
          ? l10n.t('It costs money; how much is not known.')
          : l10n.t('It costs {0}.', price),
    },
  ],
  isRememberable: price !== '',
});

/**
 * Returns the key that a grant for the tool stores. The key contains the tool's name, the price of a charged call, the
 * host that receives data, and the outside files that limit the grant. A change of one of these makes the grant
 * invalid. The key for a tool of another extension contains a digest of its description and schema, so a changed tool
 * requires a new grant.
 */
async function createToolKey(
  { name, kind, description, parameters }: Tool,
  resources: readonly ToolResource[],
  outsideFiles: readonly OutsideFile[],
): Promise<string> {
  const prices = resources.flatMap((resource) =>
    resource.type === 'cost' ? [resource.price] : [],
  );
  const hosts = resources.flatMap((resource) =>
    resource.type === 'external' && resource.ownTool?.host !== undefined
      ? [resource.ownTool.host]
      : [],
  );
  if (outsideFiles.length > 0) {
    const files = outsideFiles.map(({ access, file }) => `${access} ${file}`).toSorted();
    const definition = kind === 'external' ? [description, parameters] : [];
    return `${name}#${await computeSha256Hex([prices, hosts, files, definition])}`;
  }
  if (hosts.length > 0) return `${name}#${await computeSha256Hex([prices, hosts])}`;
  if (prices.length > 0) return `${name}#${prices.join('_').replaceAll(/[^\w-]/gu, '_')}`;
  if (kind !== 'external') return name;
  return `${name}#${await computeSha256Hex([description, parameters])}`;
}

async function computeSha256Hex(value: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

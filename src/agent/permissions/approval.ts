import * as l10n from '@vscode/l10n';
import type { GrantScope } from './grants.ts';
import type { Permission, PermissionScope } from './permission-rules.ts';
import {
  sanitizeLine,
  type ToolPreview,
  type Tool,
  type ToolContext,
  type ToolPlan,
} from '../tool.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { parseJson } from '../../base/json.ts';
import type { RequestedCall } from '../../conversation/conversation.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';

export interface ApprovalRequest {
  readonly messageId: string;
  readonly callId: string;
  readonly verb: string;
  /** Path, command line or other target of the call, as one line of text. */
  readonly target: string;
  readonly preview: ToolPreview;
  /** Reasons why the user must approve the call, one sentence each. */
  readonly reasons: readonly string[];
  readonly remember: readonly GrantScope[];
  /** Description of the calls that a grant would allow. */
  readonly rememberWhat: string;
}

export interface QuestionRequest {
  readonly messageId: string;
  /** Id of the tool call that asks the question; null for a question outside a call. */
  readonly callId: string | null;
  readonly text: string;
  readonly choices: readonly string[];
  readonly freeText: boolean;
}

export type PendingApproval =
  | (ApprovalRequest & { readonly kind: 'approval'; readonly id: string })
  | (QuestionRequest & { readonly kind: 'question'; readonly id: string });

export type ApprovalAnswer =
  | { readonly answer: 'once' | GrantScope }
  /** The user denied the call. `reason` is the user's text, empty if the user gave none. */
  | { readonly answer: 'deny'; readonly reason: string };

type WaitingRequest = {
  readonly view: PendingApproval;
  readonly answerApproval?: (answer: ApprovalAnswer) => void;
  readonly answerQuestion?: (text: string) => void;
  /** Ends the request without an answer. */
  readonly withdraw: () => void;
};

/** Approval requests and questions of one conversation that wait for the user. Each id accepts one answer. */
export class PendingRequests {
  readonly #createId: () => string;
  readonly #waitingRequests = new Map<string, WaitingRequest>();
  readonly #onDidChangeEmitter = new Emitter<void>();

  /** @param createId Returns a new id, which must be unique and impossible to guess. */
  constructor(createId: () => string) {
    this.#createId = createId;
  }

  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /** Waiting requests, oldest first. */
  get items(): readonly PendingApproval[] {
    return [...this.#waitingRequests.values()].map(({ view }) => view);
  }

  /**
   * Requests the user's approval of a call.
   * @returns undefined if `signal` fired or the request was withdrawn; the call must then not run
   */
  requestApproval(
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    return this.#waitForAnswer(signal, (id, resolve) => ({
      view: { kind: 'approval', id, ...request },
      answerApproval: resolve,
    }));
  }

  /**
   * Asks the user a question.
   * @returns undefined if `signal` fired or the question was withdrawn
   */
  askQuestion(request: QuestionRequest, signal: AbortSignal): Promise<string | undefined> {
    return this.#waitForAnswer(signal, (id, resolve) => ({
      view: { kind: 'question', id, ...request },
      answerQuestion: resolve,
    }));
  }

  /**
   * Answers an approval request. Ignores an id that is unknown or already answered, and an answer that the request did
   * not offer.
   */
  answerApproval(id: string, answer: ApprovalAnswer): void {
    const waitingRequest = this.#waitingRequests.get(id);
    if (waitingRequest?.answerApproval === undefined || waitingRequest.view.kind !== 'approval')
      return;
    const { remember } = waitingRequest.view;
    const isScope = answer.answer === 'conversation' || answer.answer === 'always';
    if (isScope && !remember.includes(answer.answer)) return;
    waitingRequest.answerApproval(answer);
  }

  /** Answers a question. Ignores free text unless the question allows it. */
  answerQuestion(id: string, text: string): void {
    const waitingRequest = this.#waitingRequests.get(id);
    if (waitingRequest?.answerQuestion === undefined || waitingRequest.view.kind !== 'question')
      return;
    const { choices, freeText } = waitingRequest.view;
    if (freeText || choices.includes(text)) waitingRequest.answerQuestion(text);
  }

  /** Ends all requests without an answer. */
  withdraw(): void {
    for (const { withdraw } of [...this.#waitingRequests.values()]) withdraw();
  }

  #waitForAnswer<T>(
    signal: AbortSignal,
    createRequest: (id: string, resolve: (value: T) => void) => Omit<WaitingRequest, 'withdraw'>,
  ): Promise<T | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const id = this.#createId();
      const settle = (value: T | undefined): void => {
        signal.removeEventListener('abort', cancel);
        if (!this.#waitingRequests.delete(id)) return;
        this.#onDidChangeEmitter.fire();
        resolve(value);
      };
      const cancel = (): void => settle(undefined);
      signal.addEventListener('abort', cancel);
      this.#waitingRequests.set(id, { ...createRequest(id, settle), withdraw: cancel });
      this.#onDidChangeEmitter.fire();
    });
  }
}

/** The user's permission rules. No text from a model, a file or a server can change these rules. */
export interface Permissions {
  /** Stores that the user has seen the edits that `permission` lists. Call this after the user approves the call. */
  recordConfirmedEdits(permission: Permission): void;
  evaluateCall(
    tool: Tool,
    plan: ToolPlan,
    chat: PermissionScope,
    signal?: AbortSignal,
  ): Promise<Permission>;
  storeGrant(permission: Permission, scope: GrantScope, conversationId: string): Promise<void>;
}

export interface ApprovalPorts {
  readonly permissions: Permissions;
  readonly pendingRequests: PendingRequests;
}

/** A call with valid arguments and a plan, whose permission is not checked yet. */
export interface PlannedCall {
  /** Context of the call. If its signal aborts, the user is not asked, and an open approval request closes. */
  readonly context: ToolContext;
  readonly call: RequestedCall;
  readonly tool: Tool;
  readonly plan: ToolPlan;
  /** Returns the current permission level of the chat. The level can change at any time. */
  readonly getLevel: () => PermissionLevel;
  /** Called before the user is asked to approve the call. Not called if the rules allow or refuse the call. */
  readonly onWait: () => void;
  /**
   * Returns true if the user has sent another message. The user is then not asked, and the call runs only if the rules
   * allow it without approval.
   */
  readonly isInterrupted?: () => boolean;
}

/** Result of a permission check. */
export interface PermissionResult {
  /** Status and output of a call that may not run; undefined if the call may run. */
  readonly refusal?: Pick<ToolRun, 'status' | 'output'>;
  /** Permission level at which the rules allow the call; undefined if the user approved it. */
  readonly level?: PermissionLevel;
  /** True if the user approved the call, even if the rules later changed to allow the call without approval. */
  readonly isApproved?: true;
}

/**
 * Checks the permission of a call, and asks the user for approval if the rules require it.
 * @throws if the rules cannot be evaluated; the call must then not run
 */
export async function checkPermission(
  plannedCall: PlannedCall,
  { permissions, pendingRequests }: ApprovalPorts,
): Promise<PermissionResult> {
  const { tool, plan, call } = plannedCall;
  const { conversationId, messageId, callId, signal } = plannedCall.context;
  const level = plannedCall.getLevel();
  const permission = await permissions.evaluateCall(tool, plan, { conversationId, level }, signal);
  if (plannedCall.getLevel() !== level)
    return checkPermission(plannedCall, { permissions, pendingRequests });
  if (permission.decision === 'allow') return { level };
  const sortedReasons = sortReasons(permission);
  const reasons = sortedReasons.map(({ text }) => text);
  if (permission.decision === 'refuse') {
    const output = l10n.t('Not allowed: {0}', reasons.join(' '));
    return { refusal: { status: 'denied', output } };
  }
  if (plannedCall.isInterrupted?.() === true)
    return { refusal: { status: 'not-run', output: notRunOutput } };
  plannedCall.onWait();
  const answer = await pendingRequests.requestApproval(
    {
      messageId,
      callId,
      verb: plan.verb,
      target: sanitizeLine(plan.target),
      preview: plan.preview ?? createArgumentsPreview(plan, call),
      reasons:
        reasons.length > 0
          ? joinDangerTexts(sortedReasons)
          : [l10n.t('This tool asks before it does anything.')],
      remember: permission.remember,
      rememberWhat: permission.rememberWhat,
    },
    signal,
  );
  if (answer === undefined) return { refusal: { status: 'not-run', output: notRunOutput } };
  if (answer.answer === 'deny')
    return { refusal: { status: 'denied', output: createDenialOutput(answer.reason, reasons) } };
  if (permission.editKeys.length > 0) {
    permissions.recordConfirmedEdits(permission);
    // Other turns may have edited files while the question waited.
    return {
      ...(await checkPermission(plannedCall, { permissions, pendingRequests })),
      isApproved: true,
    };
  }
  if (answer.answer !== 'once')
    await permissions.storeGrant(permission, answer.answer, conversationId);
  return { isApproved: true };
}

/**
 * Codes of general reasons, which apply to every call of one kind, such as every command. Reasons with other codes tell
 * the user more about the call.
 */
const generalCodes: ReadonlySet<string> = new Set(['command', 'write', 'read', 'external']);

/** Codes of the reasons that describe a possible harm, the most severe first. */
const dangerCodes: readonly string[] = [
  ...['hidden-characters', 'padding', 'changes-files', 'network', 'system', 'packages'],
  ...['secret', 'secret-file', 'shows-variables', 'outside-workspace', 'wrapper', 'interpreter'],
];

/** Codes of the reasons that describe the syntax of a command instead of its effect. */
const commandSyntaxCodes: ReadonlySet<string> = new Set([
  ...['syntax', 'substitution', 'expansion', 'compound', 'redirect', 'background'],
]);

/** Sorts reasons by severity, because the approval card shows only the first reason above its details. */
const sortReasons = ({ reasons }: Permission): Permission['reasons'] =>
  reasons.toSorted((a, b) => getReasonRank(a.code) - getReasonRank(b.code));

function getReasonRank(code: string): number {
  const dangerIndex = dangerCodes.indexOf(code);
  if (dangerIndex >= 0) return dangerIndex;
  return dangerCodes.length + (generalCodes.has(code) ? 2 : commandSyntaxCodes.has(code) ? 1 : 0);
}

/** Returns the texts of sorted reasons. Joins the first two if both describe a possible harm. */
function joinDangerTexts(reasons: Permission['reasons']): string[] {
  const texts = [...new Set(reasons.map(({ text }) => text))];
  const dangerTexts = new Set(
    reasons.flatMap(({ code, text }) => (dangerCodes.includes(code) ? [text] : [])),
  );
  const [first = '', second = ''] = texts;
  // The page shows at most one name in backticks per text.
  const isJoined = dangerTexts.size >= 2 && !(first.includes('`') && second.includes('`'));
  return isJoined ? [`${first} ${second}`, ...texts.slice(2)] : texts;
}

/** Output that the model receives for a call that was stopped before it had any effect. */
export const notRunOutput = 'Not run: it was stopped before it began.';

/**
 * Returns the output of a denied call, which both the model and the call's details show: the user's reason, or else the
 * reasons of the rules.
 */
function createDenialOutput(reason: string, ruleReasons: readonly string[]): string {
  if (reason.trim() !== '') return `The user denied this call with this reason: ${reason.trim()}`;
  return [
    'The user denied this call.',
    ...ruleReasons,
    'Do not try it in another way; ask for an alternative.',
  ].join(' ');
}

/** Creates a preview of the parsed arguments, because raw JSON can contain a key twice or hide text in escapes. */
function createArgumentsPreview(
  { resources }: ToolPlan,
  { function: { arguments: text } }: RequestedCall,
): ToolPreview {
  const files = resources.flatMap((resource) => (resource.type === 'path' ? [resource.path] : []));
  return { language: 'json', text: JSON.stringify(parseJson(text), null, 2), cwd: '', files };
}

import * as vscode from 'vscode';
import { createFailureView } from '../../account/vscode/failure-actions.ts';
import type { PendingApproval } from '../../agent/permissions/approval.ts';
import { sanitizeLine, sanitizeOutput } from '../../agent/tool.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { asRecord, omitUndefined, parseJson } from '../../base/json.ts';
import type { FailureView } from '../../account/protocol.ts';
import type { StatsView, PendingView, ToolCallView } from '../../agent/protocol.ts';
import type {
  AttachmentView,
  ChatState,
  CitationView,
  MessageView,
  GeneratedImagesView,
} from '../protocol/view-state.ts';
import type {
  Answer,
  AnswerResult,
  Attachment,
  Conversation,
  Message,
} from '../../conversation/conversation.ts';
import { checkLink } from '../../conversation/link.ts';
import { estimateAttachmentTokens } from '../../conversation/media.ts';
import { countHiddenCharacters } from '../../conversation/prompt.ts';
import type { MessageQueue } from '../message-queue.ts';
import { type DelegatedTurn, isRunCompleted, type ToolRun } from '../../conversation/tool-run.ts';
import { discoveryToolName, unwrapCall } from '../../conversation/wrapped-call.ts';
import { imageFileExtensions, mayBeCharged } from '../../image/image-generator.ts';
import { createProtectionView } from '../../privacy/vscode/protection-view.ts';
import { formatRefusedPart } from '../../service/chat/refused-parts.ts';
import type { Citation, ToolCall } from '../../service/chat/chat-types.ts';

/**
 * Converts the sources of an answer to the format of the page. A source whose link must not be opened keeps its number
 * and title, but has no URL.
 */
export const createCitationViews = (citations: readonly Citation[] = []): CitationView[] =>
  citations.slice(0, 50).map(({ title, url = '', content = '', date = '' }) => {
    const link = checkLink(url);
    const [openableUrl, host] = link.kind === 'open' ? [link.url, link.host] : ['', ''];
    return {
      title: toShortLine(title, 300),
      url: openableUrl,
      host: host.slice(0, 300),
      quote: toShortLine(content, 1_000),
      date: toShortLine(date, 40),
    };
  });

/** Returns the text as one line of at most `maxLength` characters, without hidden characters. */
const toShortLine = (text: string, maxLength: number): string =>
  stripHiddenCharacters(text).text.replaceAll(/\s+/gu, ' ').trim().slice(0, maxLength);

/**
 * Returns the status that the page shows for an answer. If the answer has tool calls, the status also depends on the
 * tool runs and the turn.
 * @param isRunning True while the answer is streaming or its tool calls are running.
 * @param isLast True if no message follows the answer.
 */
export function getAnswerStatus(
  { status, result: { toolCalls = [], failure }, toolRuns }: Answer,
  isRunning: boolean,
  isLast: boolean,
): MessageView['status'] {
  if (status !== 'complete' || toolCalls.length === 0) return status;
  if (isRunning) return 'working';
  if (failure !== undefined) return 'failed';
  if (!isLast) return 'complete';
  // A missing run means an interruption, because each call has a run if the user stops the turn.
  const hasMissingRuns = toolRuns.length < toolCalls.length;
  return hasMissingRuns || toolRuns.some((run) => run.interrupted) ? 'interrupted' : 'stopped';
}

const maxNameLength = 128;
const maxVerbLength = 60;
const maxTargetLength = 400;

/**
 * Converts the tool calls of an answer to the format of the page.
 * @param hasTurnEnded True if the calls can no longer change.
 */
export function createToolCallViews(
  { result, toolRuns }: Answer,
  hasTurnEnded: boolean,
): ToolCallView[] {
  const runs = new Map(toolRuns.map((run) => [run.callId, run]));
  return (result.toolCalls ?? []).map((call) => {
    const run = runs.get(call.id);
    return run === undefined
      ? createRequestedCallView(call, hasTurnEnded)
      : createToolRunView(call, run);
  });
}

/**
 * Verbs such as `Read` for tool calls that have not started, by tool name. Calls that run show the same verbs. Tools of
 * other extensions have no entry.
 */
const toolVerbs: ReadonlyMap<string, string> = new Map(
  [
    [vscode.l10n.t('Read'), 'read_file', 'load_skill', 'read_page'],
    [vscode.l10n.t('List'), 'list_directory'],
    [vscode.l10n.t('Find files'), 'find_files'],
    [vscode.l10n.t('Search'), 'search_text'],
    [vscode.l10n.t('Check problems'), 'get_problems'],
    [vscode.l10n.t('Find symbols'), 'find_symbols'],
    [vscode.l10n.t('Find definition'), 'go_to_definition'],
    [vscode.l10n.t('Find references'), 'find_references'],
    [
      vscode.l10n.t('Edit'),
      'edit_file',
      'edit_cells',
      'update_todos',
      'edit_image',
      'combine_images',
      'upscale_image',
      'remove_background',
    ],
    [vscode.l10n.t('Create'), 'create_file'],
    [vscode.l10n.t('Delete'), 'delete_file'],
    [vscode.l10n.t('Rename'), 'rename_file'],
    [vscode.l10n.t('Run'), 'run_command'],
    [vscode.l10n.t('Read output of'), 'read_command_output'],
    [vscode.l10n.t('Stop'), 'stop_command'],
    [vscode.l10n.t('Open'), 'open_file'],
    [vscode.l10n.t('Compare'), 'show_diff'],
    [vscode.l10n.t('Ask'), 'ask_user', 'describe_image'],
    [vscode.l10n.t('Explore'), 'delegate'],
    [vscode.l10n.t('Search the web'), 'search_web'],
    [vscode.l10n.t('Generate'), 'generate_image'],
    [vscode.l10n.t('Look up tool'), discoveryToolName],
  ].flatMap(([verb = '', ...toolNames]) => toolNames.map((name) => [name, verb] as const)),
);

/**
 * Converts a tool call that has not started to the format of the page. If the model calls another tool through the
 * tool `more_tools`, shows the name of that other tool.
 */
export function createRequestedCallView(
  call: Pick<ToolCall, 'id' | 'function'>,
  hasTurnEnded: boolean,
): ToolCallView {
  const view = createCallView(call);
  const target = readFileTarget(view.name, unwrapCall(call).function.arguments);
  return { ...view, status: hasTurnEnded ? 'not-run' : 'requested', target };
}

/** Converts a tool call to the format of the page, with an empty target. */
function createCallView(call: Pick<ToolCall, 'id' | 'function'>): ToolCallView {
  const name = unwrapCall(call).function.name.slice(0, maxNameLength);
  return {
    id: call.id.slice(0, maxNameLength),
    name,
    status: 'requested',
    verb: toolVerbs.get(name) ?? '',
    target: '',
    openable: false,
    readOnly: false,
    startedAt: null,
    durationMs: null,
  };
}

/** Names of the tools that use the file or folder in their argument `path`. */
const pathTools: ReadonlySet<string> = new Set([
  ...['read_file', 'list_directory', 'edit_file', 'edit_cells', 'create_file', 'delete_file'],
  ...['open_file', 'show_diff'],
]);

/** Returns the file that the arguments of a call name. Returns an empty string for calls that name no file. */
function readFileTarget(name: string, argumentsText: string): string {
  const isRename = name === 'rename_file';
  if (!isRename && !pathTools.has(name)) return '';
  const { path, from, to } = asRecord(parseJson(argumentsText));
  const paths = (isRename ? [from, to] : [path]).filter((item) => typeof item === 'string');
  return paths.map((item) => sanitizeLine(item, maxTargetLength / 2 - 2)).join(' → ');
}

/**
 * Reads the exit code of a failed command from the start of the tool's output. Undefined if the output contains no exit
 * code.
 */
function readExitCode({ status, output }: ToolRun, name: string): number | undefined {
  if (status !== 'failed' || name !== 'run_command') return undefined;
  const [, code] = /^Exit code (-?\d{1,10}) after /u.exec(output) ?? [];
  return code === undefined ? undefined : Number(code);
}

export function createToolRunView(
  call: Pick<ToolCall, 'id' | 'function'>,
  run: ToolRun,
): ToolCallView {
  // Without a verb, the call failed before planning. Its stored target is then the tool name. The arguments of all other
  // calls are not parsed, because they can contain whole files.
  const callView = run.verb === '' ? createRequestedCallView(call, false) : createCallView(call);
  return {
    ...callView,
    status: run.status,
    ...(run.verb !== '' && {
      verb: run.verb.slice(0, maxVerbLength),
      target: run.target.slice(0, maxTargetLength),
    }),
    openable: run.uri !== undefined,
    readOnly: run.readOnly,
    startedAt: run.startedAt,
    durationMs: run.durationMs ?? null,
    ...omitUndefined({
      exitCode: readExitCode(run, callView.name),
      delegated: run.delegated && createDelegatedTaskView(run.delegated, run),
    }),
  };
}

/**
 * Converts a delegated task to the format of the page. If the tool call that started the task has ended, unfinished
 * calls of the task count as canceled.
 */
function createDelegatedTaskView(
  { model, steps, usage, cost, costEstimated }: DelegatedTurn,
  outerRun: ToolRun,
): ToolCallView['delegated'] {
  const { durationMs = 0 } = outerRun;
  const result = { durationMs, ...omitUndefined({ usage, cost, costEstimated }) };
  return {
    model: toShortLine(model, 300),
    steps: steps.map((step) => ({
      id: step.callId.slice(0, maxNameLength),
      name: step.name.slice(0, maxNameLength),
      status: isRunCompleted(outerRun) && !isRunCompleted(step) ? 'cancelled' : step.status,
      verb: step.verb.slice(0, maxVerbLength),
      target: step.verb === '' ? '' : step.target.slice(0, maxTargetLength),
      startedAt: step.startedAt,
      durationMs: step.durationMs ?? null,
    })),
    // Omits duration and speed, because the requests of the task can run in parallel.
    stats: { ...toStatsView(result), durationMs: null, tokensPerSecond: null },
  };
}

/** Maximum length of tool arguments or output on the page, in characters. */
const maxTextLength = 40_000;

/**
 * Removes escape sequences and Unicode tag characters from tool arguments or output, and limits their length. The page
 * marks other hidden characters.
 */
export const cleanToolText = (text: string): string => sanitizeOutput(text, maxTextLength);

/** Converts an approval or question that waits for the user to the format of the page. */
export const createPendingView = (pendingApproval: PendingApproval): PendingView =>
  pendingApproval.kind === 'question'
    ? { ...pendingApproval, choices: [...pendingApproval.choices] }
    : {
        ...pendingApproval,
        preview: { ...pendingApproval.preview, files: [...pendingApproval.preview.files] },
        reasons: [...pendingApproval.reasons],
        remember: [...pendingApproval.remember],
      };

const maxPreviewLength = 2_000;
const maxLabelLength = 300;

/**
 * Converts a message to the format of the page, and adds its position among its siblings.
 * @param runningAnswerId Id of the answer that is streaming or whose tool calls are running.
 */
export function createMessageView(
  conversation: Conversation,
  message: Message,
  runningAnswerId: string | undefined,
): MessageView {
  const siblingIds = conversation.listSiblingIds(message);
  return {
    id: message.id,
    role: message.role,
    text: message.text,
    branch: { index: Math.max(0, siblingIds.indexOf(message.id)), count: siblingIds.length },
    summary: conversation.findSummaryBefore(message.id) ?? null,
    citations: message.role === 'user' ? [] : createCitationViews(message.result.citations),
    ...omitUndefined({
      protection:
        message.role === 'user' ? undefined : createProtectionView(message.result.protection),
      notices: listNotices(message),
      isIncomplete: conversation.isIncomplete(message.id) || undefined,
    }),
    ...(message.role === 'user'
      ? createUserFields(message)
      : createAnswerFields(
          message,
          message.id === runningAnswerId,
          message.id === conversation.head?.id,
        )),
  };
}

function listNotices(message: Message): string[] | undefined {
  if (message.role === 'user') return undefined;
  const { model, replacedModel, result } = message;
  const notices = (result.refusedParts ?? []).map(formatRefusedPart);
  if (replacedModel === undefined) return notices.length === 0 ? undefined : notices;
  const [name, failedName] = [model, replacedModel].map((item) => toShortLine(item.name, 100));
  return [vscode.l10n.t('{0} answers instead of {1}.', name ?? '', failedName ?? ''), ...notices];
}

type RoleFields = Omit<
  MessageView,
  | 'id'
  | 'role'
  | 'text'
  | 'branch'
  | 'summary'
  | 'citations'
  | 'protection'
  | 'notices'
  | 'isIncomplete'
>;

function createUserFields(message: Extract<Message, { role: 'user' }>): RoleFields {
  return {
    reasoning: '',
    reasoningMs: null,
    status: 'complete',
    failure: null,
    attachments: message.attachments.map(createAttachmentView),
    toolCalls: [],
    generatedImages: null,
    model: null,
    stats: null,
    hiddenCharacters: countHiddenCharacters(message),
  };
}

function createAnswerFields(answer: Answer, isRunning: boolean, isLast: boolean): RoleFields {
  const { result } = answer;
  return {
    reasoning: answer.reasoning,
    reasoningMs: result.reasoningMs ?? null,
    status: getAnswerStatus(answer, isRunning, isLast),
    failure: createAnswerFailureView(result, answer.images !== undefined),
    attachments: [],
    toolCalls: createToolCallViews(answer, !isRunning),
    generatedImages: createImagesView(answer),
    model: answer.model.name,
    stats: createStatsView(answer),
    hiddenCharacters: 0,
  };
}

function createImagesView({ images }: Answer): GeneratedImagesView | null {
  if (images === undefined) return null;
  return {
    startedAt: null,
    images: images.map(({ format, ...image }) => ({
      ...image,
      file: `${image.id}${imageFileExtensions[format]}`,
    })),
  };
}

/**
 * Returns the failure that the page shows for an answer. Null if the answer did not fail, or if the user stopped it.
 */
export function createAnswerFailureView(
  { failure, fallback }: AnswerResult,
  isImageAnswer: boolean,
): FailureView | null {
  if (failure === undefined || failure.code === 'stopped') return null;
  const view = createFailureView(failure, {
    mayBeCharged: isImageAnswer && mayBeCharged(failure.code),
  });
  if (fallback === undefined || fallback.id.length > 300) return view;
  return { ...view, fallback: { id: fallback.id, name: toShortLine(fallback.name, 300) } };
}

export function createAttachmentView(attachment: Attachment): AttachmentView {
  const { id, kind, label, text, media } = attachment;
  return {
    id,
    kind,
    label: label.slice(0, maxLabelLength),
    tokens: estimateAttachmentTokens(attachment),
    preview: text.slice(0, maxPreviewLength),
    bytes: media?.bytes ?? null,
    thumbnail: kind === 'image' && media !== undefined ? media.file : null,
  };
}

/**
 * Converts the queued messages to the format of the page. A message without text shows the names of its attachments.
 */
export const createQueuedViews = (
  queue: Pick<MessageQueue, 'messages' | 'isHeld'>,
): ChatState['queued'] =>
  queue.messages.map(({ id, text, attachments, isUrgent }) => {
    const title = text === '' ? attachments.map(({ label }) => label).join(', ') : text;
    const shortTitle = toShortLine(title.slice(0, 2_000), 400);
    return { id, text: shortTitle, isUrgent, isHeld: queue.isHeld(id) };
  });

/** Returns the usage, cost and speed of an answer. Null until the answer has ended. */
export function createStatsView({ result }: Pick<Answer, 'result'>): StatsView | null {
  return result.durationMs === undefined ? null : toStatsView(result);
}

function toStatsView(result: AnswerResult): StatsView {
  const { usage, cost, durationMs = 0, timeToFirstTokenMs } = result;
  const generationMs = durationMs - (timeToFirstTokenMs ?? 0);
  const tokens = usage?.completionTokens;
  return {
    promptTokens: usage === undefined ? null : toNonNegativeInteger(usage.promptTokens),
    cachedTokens:
      usage?.cachedTokens === undefined ? null : toNonNegativeInteger(usage.cachedTokens),
    completionTokens: tokens === undefined ? null : toNonNegativeInteger(tokens),
    costUsd: cost?.usd === undefined ? null : Math.max(0, cost.usd),
    costDiem: cost?.diem === undefined ? null : Math.max(0, cost.diem),
    costEstimated: result.costEstimated ?? false,
    timeToFirstTokenMs: timeToFirstTokenMs === undefined ? null : Math.max(0, timeToFirstTokenMs),
    durationMs: Math.max(0, durationMs),
    tokensPerSecond:
      tokens !== undefined && tokens > 1 && generationMs > 50
        ? (toNonNegativeInteger(tokens) * 1_000) / generationMs
        : null,
  };
}

const toNonNegativeInteger = (value: number): number => Math.max(0, Math.round(value));

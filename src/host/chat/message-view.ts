import type {
  Answer,
  AnswerResult,
  Attachment,
  Conversation,
  Message,
} from '../../chat/conversation.ts';
import { countHiddenCharacters } from '../../chat/prompt.ts';
import { estimateTokens } from '../../chat/token-estimate.ts';
import type {
  AttachmentView,
  FailureView,
  MessageView,
  StatsView,
  ToolCallView,
} from '../../protocol/view-state.ts';
import type { ToolCall } from '../../service/chat-types.ts';
import { failureView } from './failure-view.ts';

const longestPreview = 2_000;
const longestLabel = 300;
const longestName = 128;

/** A message as the webview shows it, with its place among its siblings. */
export function messageView(conversation: Conversation, message: Message): MessageView {
  const siblings = conversation.siblings(message);
  return {
    id: message.id,
    role: message.role,
    text: message.text,
    branch: { index: Math.max(0, siblings.indexOf(message.id)), count: siblings.length },
    ...(message.role === 'user' ? userParts(message) : answerParts(message)),
  };
}

type Parts = Omit<MessageView, 'id' | 'role' | 'text' | 'branch'>;

function userParts(message: Extract<Message, { role: 'user' }>): Parts {
  return {
    reasoning: '',
    reasoningMs: null,
    status: 'complete',
    failure: null,
    attachments: message.attachments.map(attachmentView),
    toolCalls: [],
    model: null,
    stats: null,
    hiddenCharacters: countHiddenCharacters(message),
    summary: null,
  };
}

function answerParts(answer: Answer): Parts {
  const { result } = answer;
  return {
    reasoning: answer.reasoning,
    reasoningMs: result.reasoningMs ?? null,
    status: answer.status,
    failure: answerFailure(result),
    attachments: [],
    toolCalls: (result.toolCalls ?? []).map(toolCallView),
    model: answer.model.name,
    stats: statsView(answer),
    hiddenCharacters: 0,
    summary: null,
  };
}

/** What to show as a problem. That the person stopped an answer is none. */
export function answerFailure({ failure }: AnswerResult): FailureView | null {
  return failure === undefined || failure.code === 'stopped' ? null : failureView(failure);
}

export function attachmentView({ id, kind, label, text }: Attachment): AttachmentView {
  return {
    id,
    kind,
    label: label.slice(0, longestLabel),
    tokens: estimateTokens(text),
    preview: text.slice(0, longestPreview),
  };
}

export function toolCallView({ id, function: { name } }: ToolCall): ToolCallView {
  return {
    id: id.slice(0, longestName),
    name: name.slice(0, longestName),
    status: 'requested',
    verb: '',
    target: '',
    openable: false,
    readOnly: false,
    startedAt: null,
    durationMs: null,
  };
}

/** Null until something was measured. */
export function statsView({ result }: Pick<Answer, 'result'>): StatsView | null {
  const { usage, cost, durationMs, timeToFirstTokenMs } = result;
  if (durationMs === undefined) return null;
  const writingMs = durationMs - (timeToFirstTokenMs ?? 0);
  const tokens = usage?.completionTokens;
  return {
    promptTokens: usage === undefined ? null : whole(usage.promptTokens),
    completionTokens: tokens === undefined ? null : whole(tokens),
    costUsd: cost?.usd === undefined ? null : Math.max(0, cost.usd),
    costDiem: cost?.diem === undefined ? null : Math.max(0, cost.diem),
    costEstimated: result.costEstimated ?? false,
    timeToFirstTokenMs: timeToFirstTokenMs === undefined ? null : Math.max(0, timeToFirstTokenMs),
    durationMs: Math.max(0, durationMs),
    tokensPerSecond:
      tokens !== undefined && tokens > 1 && writingMs > 50
        ? (whole(tokens) * 1_000) / writingMs
        : null,
  };
}

const whole = (value: number): number => Math.max(0, Math.round(value));

import { defined } from '../../base/json.ts';
import type {
  Answer,
  AnswerResult,
  Attachment,
  Conversation,
  Message,
} from '../../conversation/conversation.ts';
import { countHiddenCharacters } from '../../conversation/prompt.ts';
import { attachmentTokens } from '../../conversation/media.ts';
import type {
  AttachmentView,
  FailureView,
  MessageView,
  PicturesView,
  StatsView,
} from '../protocol/view-state.ts';
import { imageFileEndings } from '../../image/chat-images.ts';
import { citationViews } from './citation-views.ts';
import { answerStatus } from './answer-status.ts';
import { failureView } from '../../account/vscode/failure-actions.ts';
import { protectionView } from '../../privacy/vscode/protection-view.ts';
import { toolCallViews } from './tool-call-view.ts';

const longestPreview = 2_000;
const longestLabel = 300;

/**
 * A message as the webview shows it, with its place among its siblings.
 * @param running id of the answer that is streamed, or whose calls are run
 */
export function messageView(
  conversation: Conversation,
  message: Message,
  running: string | undefined,
): MessageView {
  const siblings = conversation.siblings(message);
  return {
    id: message.id,
    role: message.role,
    text: message.text,
    branch: { index: Math.max(0, siblings.indexOf(message.id)), count: siblings.length },
    summary: conversation.summaryBefore(message.id) ?? null,
    citations: message.role === 'user' ? [] : citationViews(message.result.citations),
    ...(message.role === 'user'
      ? {}
      : defined({ protection: protectionView(message.result.protection) })),
    ...(message.role === 'user'
      ? userParts(message)
      : answerParts(message, message.id === running, message.id === conversation.head?.id)),
  };
}

type Parts = Omit<
  MessageView,
  'id' | 'role' | 'text' | 'branch' | 'summary' | 'citations' | 'protection'
>;

function userParts(message: Extract<Message, { role: 'user' }>): Parts {
  return {
    reasoning: '',
    reasoningMs: null,
    status: 'complete',
    failure: null,
    attachments: message.attachments.map(attachmentView),
    toolCalls: [],
    pictures: null,
    model: null,
    stats: null,
    hiddenCharacters: countHiddenCharacters(message),
  };
}

function answerParts(answer: Answer, running: boolean, last: boolean): Parts {
  const { result } = answer;
  return {
    reasoning: answer.reasoning,
    reasoningMs: result.reasoningMs ?? null,
    status: answerStatus(answer, running, last),
    failure: answerFailure(result),
    attachments: [],
    toolCalls: toolCallViews(answer, !running),
    pictures: picturesView(answer),
    model: answer.model.name,
    stats: statsView(answer),
    hiddenCharacters: 0,
  };
}

function picturesView({ images, createdAt }: Answer): PicturesView | null {
  if (images === undefined) return null;
  return {
    startedAt: createdAt,
    images: images.map(({ format, ...image }) => ({
      ...image,
      file: `${image.id}${imageFileEndings[format]}`,
    })),
  };
}

/** What to show as a problem. That the person stopped an answer is none. */
export function answerFailure({ failure }: AnswerResult): FailureView | null {
  return failure === undefined || failure.code === 'stopped' ? null : failureView(failure);
}

export function attachmentView(attachment: Attachment): AttachmentView {
  const { id, kind, label, text, media } = attachment;
  return {
    id,
    kind,
    label: label.slice(0, longestLabel),
    tokens: attachmentTokens(attachment),
    preview: text.slice(0, longestPreview),
    bytes: media?.bytes ?? null,
    thumbnail: kind === 'image' && media !== undefined ? media.file : null,
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

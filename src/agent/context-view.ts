import { estimateRequestTokens } from './context-budget.ts';
import { toSingleLine } from '../base/hidden-characters.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Attachment, Message } from '../conversation/conversation.ts';
import { maxImageTokens } from '../conversation/media.ts';
import { formatAttachment } from '../conversation/prompt.ts';
import type { ChatRequest, ChatRequestMessage } from '../service/chat/chat-types.ts';

/** Parts of a request, in the order in which the chat page lists them. */
export const contextParts = ['system', 'tools', 'instructions', 'files', 'conversation'] as const;

export interface ContextItem {
  /** Id of the message that contains the attachment or the tool call; null for an item that cannot be removed. */
  readonly messageId: string | null;
  /** Id of the attachment or the tool call; empty for an item that cannot be removed. */
  readonly id: string;
  readonly label: string;
  readonly tokens: number;
  readonly isRemoved: boolean;
}

/** Estimated tokens of each part of the next request, adjusted to the token counts that the service reports. */
export interface ContextView {
  readonly parts: Readonly<Record<(typeof contextParts)[number], number>>;
  /** The largest items, largest first, followed by the items that the user removed. */
  readonly items: readonly ContextItem[];
}

export interface ContextSources {
  /** Messages that the request contains. */
  readonly path: readonly Message[];
  /** Base64 content of the media files that the request contains, by file name. */
  readonly media: ReadonlyMap<string, string>;
  /** Instruction files that the system prompt contains. */
  readonly instructions: readonly { readonly label: string; readonly text: string }[];
  /** Number of tokens that the service counts per estimated token. */
  readonly tokensPerEstimatedToken: number;
  /** Texts of the instruction files that the request contains between its messages. */
  readonly laterInstructions: Iterable<string>;
}

const maxItems = 12;
/** Minimum size in tokens of a listed item. Items that the user removed are always listed. */
const minItemTokens = 20;
const maxRemovedItems = 50;
const maxLabelLength = 120;

/** Returns the estimated tokens of each part of a request, and of its largest items. */
export function describeContext(request: ChatRequest, sources: ContextSources): ContextView {
  const totalTokens = estimateRequestTokens(request);
  const toolTokens = estimateRequestTokens({ ...request, messages: [] });
  const startTokens = sumCounts(sources.instructions.map(({ text }) => estimateTokens(text)));
  const instructionTokens =
    startTokens + sumCounts([...sources.laterInstructions].map(estimateTokens));
  const systemTokens = Math.max(0, estimateMessageTokens(request.messages[0]) - startTokens);
  const attachments = listAttachments(sources);
  const fileTokens = sumCounts(attachments.map(({ tokens }) => tokens));
  const conversationTokens = Math.max(
    0,
    totalTokens - toolTokens - instructionTokens - systemTokens - fileTokens,
  );
  const scaleTokens = (tokens: number): number =>
    Math.round(tokens * sources.tokensPerEstimatedToken);
  return {
    parts: {
      ...{
        system: scaleTokens(systemTokens),
        tools: scaleTokens(toolTokens),
        instructions: scaleTokens(instructionTokens),
      },
      ...{ files: scaleTokens(fileTokens), conversation: scaleTokens(conversationTokens) },
    },
    items: selectItems([
      ...attachments,
      ...listOutputs(request, sources.path),
      ...sources.instructions.map(({ label, text }) => createFixedItem(label, text)),
      ...sources.path.map(({ text }) => createFixedItem(toSingleLine(text.slice(0, 400)), text)),
    ]).map((item) => ({ ...item, tokens: scaleTokens(item.tokens) })),
  };
}

function selectItems(items: readonly ContextItem[]): readonly ContextItem[] {
  const sentItems = items.filter(({ isRemoved, tokens }) => !isRemoved && tokens >= minItemTokens);
  const largestItems = sentItems.toSorted((a, b) => b.tokens - a.tokens).slice(0, maxItems);
  const removedItems = items.filter(({ isRemoved }) => isRemoved).slice(-maxRemovedItems);
  return [...largestItems, ...removedItems].map((item) => ({
    ...item,
    label: item.label.slice(0, maxLabelLength),
  }));
}

const createFixedItem = (label: string, text: string): ContextItem => ({
  ...{ messageId: null, id: '', label, isRemoved: false },
  tokens: estimateTokens(text),
});

const listAttachments = ({ path, media }: ContextSources): readonly ContextItem[] =>
  path.flatMap((message) =>
    message.role === 'user'
      ? message.attachments.map((attachment) => ({
          ...{ messageId: message.id, id: attachment.id, label: attachment.label },
          tokens: estimateAttachmentTokens(attachment, media),
          isRemoved: attachment.isRemoved === true,
        }))
      : [],
  );

const estimateAttachmentTokens = (
  attachment: Attachment,
  media: ReadonlyMap<string, string>,
): number => {
  const { kind, isRemoved } = attachment;
  const data = isRemoved === true ? undefined : media.get(attachment.media?.file ?? '');
  if (data === undefined) return estimateTokens(formatAttachment(attachment));
  if (kind === 'image') return maxImageTokens;
  const file = { file: { filename: attachment.label, file_data: data }, type: 'file' } as const;
  return estimateMessageTokens({ role: 'user', content: [file] });
};

/**
 * Lists the outputs of tool calls. Assigns outputs to calls by their order, which is the same in the request and in
 * `path`.
 */
function listOutputs(request: ChatRequest, path: readonly Message[]): readonly ContextItem[] {
  const outputs = request.messages.filter(({ role }) => role === 'tool');
  let index = 0;
  return path.flatMap((answer) => {
    if (answer.role === 'user' || answer.status !== 'complete') return [];
    return (answer.result.toolCalls ?? []).flatMap((call): ContextItem[] => {
      const output = outputs[index++];
      const run = answer.toolRuns.find(({ callId }) => callId === call.id);
      if (run === undefined) return [];
      const isRemoved = run.isRemoved === true;
      const imageTokens = isRemoved ? 0 : (run.images?.length ?? 0) * maxImageTokens;
      return [
        {
          ...{ messageId: answer.id, id: run.callId, isRemoved },
          label: `${run.verb} ${run.target}`.trim(),
          tokens: estimateMessageTokens(output) + imageTokens,
        },
      ];
    });
  });
}

const estimateMessageTokens = (message: ChatRequestMessage | undefined): number =>
  message === undefined ? 0 : estimateRequestTokens({ model: '', messages: [message] });

const sumCounts = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);

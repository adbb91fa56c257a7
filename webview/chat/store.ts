import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import type { CodeApi } from '../base/code-api.ts';
import type { ChangesView, ToolCallView } from '../../src/agent/protocol.ts';
import type { ModelView } from '../../src/models/protocol.ts';
import type { ChatState, MessageView } from '../../src/chat/protocol/view-state.ts';

/** What the view draws. Nothing in it changes in place: a part that kept its identity need not be drawn again. */
export interface State {
  /** Null until the host's first `state-set`. */
  readonly chat: ChatState | null;
  readonly catalogue: Catalogue;
}

export interface Catalogue {
  readonly models: readonly ModelView[];
  /** Why the list is a saved one, when it is. */
  readonly stale: string | null;
  readonly loading: boolean;
  /** Whether a setting keeps all but private models away. */
  readonly privateOnly: boolean;
}

export const initialState: State = {
  chat: null,
  catalogue: { models: [], stale: null, loading: true, privateOnly: false },
};

/** The state after `message`, or `undefined` when the message does not fit it: then the two sides are out of step. */
export function reduce(state: State, message: HostMessage): State | undefined {
  if (message.type === 'state-set') return { ...state, chat: message.state };
  if (message.type === 'model-list') {
    const { type: _type, ...catalogue } = message;
    return { ...state, catalogue };
  }
  if (state.chat === null) return undefined;
  const chat = reduceChat(state.chat, message);
  if (chat === undefined) return undefined;
  return chat === state.chat ? state : { ...state, chat };
}

/** Whether more is to come of a message by itself. */
export const isBusy = ({ status }: Pick<MessageView, 'status'>): boolean =>
  status === 'streaming' || status === 'working';

type Difference = Exclude<HostMessage, { type: 'state-set' | 'model-list' }>;

function reduceChat(chat: ChatState, message: Difference): ChatState | undefined {
  switch (message.type) {
    case 'message-put':
      return putMessage(chat, message.message);
    case 'transcript-splice':
      if (message.from > chat.messages.length) return undefined;
      return withMessages(chat, [...chat.messages.slice(0, message.from), ...message.messages]);
    case 'text-delta':
      return changeMessage(chat, message.messageId, (old) => ({
        text: old.text + message.text,
        reasoning: old.reasoning + message.reasoning,
      }));
    case 'reasoning-end':
      return changeMessage(chat, message.messageId, () => ({ reasoningMs: message.reasoningMs }));
    case 'retry-wait':
      return changeMessage(chat, message.messageId, () => ({ failure: message.failure }));
    case 'turn-end': {
      const { status, failure, stats, toolCalls } = message;
      return changeMessage(chat, message.messageId, () => ({ status, failure, stats, toolCalls }));
    }
    case 'work-end':
      return changeMessage(chat, message.messageId, () => ({ status: message.status }));
    case 'tool-call-put':
      return changeMessage(chat, message.messageId, ({ toolCalls }) => ({
        toolCalls: putCall(toolCalls, message.call),
      }));
    case 'pending-change':
      return { ...chat, pending: message.pending };
    case 'changes-put':
      return { ...chat, changes: putChanges(chat.changes, message.changes) };
    case 'mode-change':
      return { ...chat, mode: message.mode, toolsOff: message.toolsOff };
    case 'instructions-change':
      return { ...chat, instructions: message.instructions };
    case 'turn-use-change':
      return { ...chat, turnUse: message.turnUse };
    case 'context-change':
      return { ...chat, context: message.context, baseTokens: message.baseTokens };
    case 'options-change':
      return { ...chat, options: message.options };
    case 'voice-change':
      return { ...chat, voice: message.voice };
    case 'protection-put':
      return changeMessage(chat, message.messageId, () => ({ protection: message.protection }));
    case 'citations-put': {
      const { citations } = message;
      return changeMessage(chat, message.messageId, () => ({ citations }));
    }
    case 'title-change':
      return { ...chat, conversation: { ...chat.conversation, title: message.title } };
    case 'attachments-change':
      return { ...chat, attachments: message.attachments };
    case 'model-change':
      return { ...chat, model: message.model };
    case 'account-change':
      return { ...chat, account: message.account };
    case 'suggestions-change':
      return { ...chat, suggestions: message.suggestions };
    case 'settings-change':
      return { ...chat, wrapCode: message.wrapCode };
    case 'tool-output':
    case 'draft-set':
    case 'option-details':
    case 'image-hint':
    case 'context-offers':
    case 'notice-show':
    case 'media-scale':
    case 'composer-focus':
    case 'composer-type':
    case 'speech-open':
    case 'speech-samples':
    case 'speech-file':
    case 'speech-part':
    case 'speech-fail':
    case 'speech-close':
    case 'find-open':
      return chat;
    default:
      return message satisfies never;
  }
}

function putMessage(chat: ChatState, message: MessageView): ChatState {
  const index = chat.messages.findLastIndex(({ id }) => id === message.id);
  return withMessages(
    chat,
    index === -1 ? [...chat.messages, message] : chat.messages.with(index, message),
  );
}

function changeMessage(
  chat: ChatState,
  id: string,
  change: (old: MessageView) => Partial<MessageView>,
): ChatState | undefined {
  // Searched from the end: it is nearly always the last one.
  const index = chat.messages.findLastIndex((each) => each.id === id);
  const old = chat.messages[index];
  if (old === undefined) return undefined;
  return withMessages(chat, chat.messages.with(index, { ...old, ...change(old) }));
}

/** The turn goes on while an answer streams or its calls run. */
function withMessages(chat: ChatState, messages: MessageView[]): ChatState {
  const streaming = messages.findLast(isBusy)?.id ?? null;
  return { ...chat, messages, streaming };
}

function putCall(calls: readonly ToolCallView[], call: ToolCallView): ToolCallView[] {
  const index = calls.findIndex(({ id }) => id === call.id);
  return index === -1 ? [...calls, call] : calls.with(index, call);
}

function putChanges(all: readonly ChangesView[], changes: ChangesView): ChangesView[] {
  const index = all.findIndex(({ turnId }) => turnId === changes.turnId);
  return index === -1 ? [...all, changes] : all.with(index, changes);
}

export type Post = (message: WebviewMessage) => void;

/** The typed way out of the webview. */
export const createPost =
  (api: CodeApi): Post =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's takes the message alone
    api.postMessage(message);

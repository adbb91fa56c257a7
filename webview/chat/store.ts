import { type Handlers, dispatchMessage, hasHandler } from '../../src/base/handlers.ts';
import type { ChangesView, ToolCallView } from '../../src/agent/protocol.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import type { ChatState, MessageView } from '../../src/chat/protocol/view-state.ts';
import type { ModelView } from '../../src/models/protocol.ts';

/** View state of the page. The state is immutable, so a view renders again only if the identity of its data changes. */
export interface State {
  /** State of the chat. Null until the host's first `state-set`. */
  readonly chat: ChatState | null;
  readonly catalog: Catalog;
}

/** Models that the composer offers. */
export interface Catalog {
  readonly models: readonly ModelView[];
  /** Reason why the model list comes from the cache. Null for a current list. */
  readonly stale: string | null;
  readonly loading: boolean;
  /**
   * Time from which the service permits another request for the list, in milliseconds since the epoch. Null if the
   * service named no time.
   */
  readonly retryAt: number | null;
  /** True if the setting `inferenceService.privateModelsOnly` hides all models that are not private. */
  readonly privateOnly: boolean;
}

export const initialState: State = {
  chat: null,
  catalog: { models: [], stale: null, loading: true, retryAt: null, privateOnly: false },
};

/**
 * Returns the state after `message`. Returns the same object if the message does not change the state. Returns
 * `undefined` if the message does not apply to the state: the page has then missed a message and must request the
 * complete state.
 */
export function reduceState(state: State, message: HostMessage): State | undefined {
  if (hasHandler(stateReducers, message)) return dispatchMessage(stateReducers, message, state);
  const { chat } = state;
  if (chat === null) return undefined;
  if (hasHandler(transcriptReducers, message)) {
    const messages = dispatchMessage(transcriptReducers, message, chat.messages);
    return messages === undefined ? undefined : { ...state, chat: replaceMessages(chat, messages) };
  }
  if (!hasHandler(chatReducers, message)) return state;
  return { ...state, chat: { ...chat, ...dispatchMessage(chatReducers, message, chat) } };
}

/**
 * Checks whether the message is an answer that is streaming or whose tool calls are running. Such an answer can change
 * without a user action.
 */
export const isBusy = ({ status }: Pick<MessageView, 'status'>): boolean =>
  status === 'streaming' || status === 'working';

type MessageOf<Type extends HostMessage['type']> = Extract<HostMessage, { readonly type: Type }>;

/** Handlers of messages that replace the whole chat or the list of models. */
const stateReducers: Handlers<MessageOf<'state-set' | 'model-list'>, [State], State> = {
  'state-set': ({ state: chat }, state) => ({ ...state, chat }),
  'model-list': ({ type: _type, ...catalog }, state) => ({ ...state, catalog }),
};

type TranscriptMessage = MessageOf<
  | 'message-put'
  | 'transcript-splice'
  | 'text-delta'
  | 'reasoning-end'
  | 'retry-wait'
  | 'turn-end'
  | 'work-end'
  | 'tool-call-put'
  | 'protection-put'
  | 'citations-put'
>;

type Messages = MessageView[];

/**
 * Handlers of messages that change the transcript. A handler returns `undefined` if the message does not apply to the
 * transcript.
 */
const transcriptReducers: Handlers<TranscriptMessage, [Messages], Messages | undefined> = {
  'message-put': ({ message }, messages) => putMessage(messages, message),
  'transcript-splice': ({ from, messages: tail }, messages) =>
    from > messages.length ? undefined : [...messages.slice(0, from), ...tail],
  'text-delta': ({ messageId, text, reasoning }, messages) =>
    changeMessage(messages, messageId, (oldMessage) => ({
      text: oldMessage.text + text,
      reasoning: oldMessage.reasoning + reasoning,
    })),
  'reasoning-end': ({ messageId, reasoningMs }, messages) =>
    changeMessage(messages, messageId, () => ({ reasoningMs })),
  'retry-wait': ({ messageId, failure }, messages) =>
    changeMessage(messages, messageId, () => ({ failure })),
  'turn-end': ({ messageId, status, failure, stats, toolCalls }, messages) =>
    changeMessage(messages, messageId, () => ({ status, failure, stats, toolCalls })),
  'work-end': ({ messageId, status }, messages) =>
    changeMessage(messages, messageId, () => ({ status })),
  'tool-call-put': ({ messageId, call }, messages) =>
    changeMessage(messages, messageId, ({ toolCalls }) => ({
      toolCalls: putCall(toolCalls, call),
    })),
  'protection-put': ({ messageId, protection }, messages) =>
    changeMessage(messages, messageId, () => ({ protection })),
  'citations-put': ({ messageId, citations }, messages) =>
    changeMessage(messages, messageId, () => ({ citations })),
};

type ChatMessage = MessageOf<
  | 'pending-change'
  | 'changes-put'
  | 'mode-change'
  | 'permissions-change'
  | 'edits-notice-change'
  | 'suggestions-offer-change'
  | 'instructions-change'
  | 'turn-use-change'
  | 'context-change'
  | 'options-change'
  | 'voice-change'
  | 'title-change'
  | 'attachments-change'
  | 'queue-change'
  | 'todos-change'
  | 'active-file-change'
  | 'model-change'
  | 'account-change'
  | 'suggestions-change'
  | 'settings-change'
>;

/**
 * Handlers of messages that change fields of the chat other than the transcript. A handler returns the changed fields.
 */
const chatReducers: Handlers<ChatMessage, [ChatState], Partial<ChatState>> = {
  'pending-change': ({ pending }) => ({ pending }),
  'changes-put': ({ changes }, chat) => ({ changes: putChanges(chat.changes, changes) }),
  'mode-change': ({ mode, toolsOff }) => ({ mode, toolsOff }),
  'permissions-change': ({ permissionLevel }) => ({ permissionLevel }),
  'edits-notice-change': ({ isShown }) => ({ editsNotice: isShown }),
  'suggestions-offer-change': ({ isShown }) => ({ suggestionsOffer: isShown }),
  'instructions-change': ({ instructions }) => ({ instructions }),
  'turn-use-change': ({ turnUse }) => ({ turnUse }),
  'context-change': ({ context, baseTokens }) => ({ context, baseTokens }),
  'options-change': ({ options }) => ({ options }),
  'voice-change': ({ voice }) => ({ voice }),
  'title-change': ({ title }, { conversation }) => ({ conversation: { ...conversation, title } }),
  'attachments-change': ({ attachments }) => ({ attachments }),
  'queue-change': ({ queued }) => ({ queued }),
  'todos-change': ({ todos }) => ({ todos }),
  'active-file-change': ({ activeFile }) => ({ activeFile }),
  'model-change': ({ model }) => ({ model }),
  'account-change': ({ account }) => ({ account }),
  'suggestions-change': ({ suggestions }) => ({ suggestions }),
  'settings-change': ({ wrapCode }) => ({ wrapCode }),
};

/**
 * Messages that do not change the view state, such as a request to move the focus. The page handles them after the next
 * rendering.
 */
export type ActionMessage = Exclude<
  HostMessage,
  { type: 'state-set' | 'model-list' | TranscriptMessage['type'] | ChatMessage['type'] }
>;

function putMessage(messages: Messages, message: MessageView): Messages {
  const index = messages.findLastIndex(({ id }) => id === message.id);
  return index === -1 ? [...messages, message] : messages.with(index, message);
}

function changeMessage(
  messages: Messages,
  messageId: string,
  change: (oldMessage: MessageView) => Partial<MessageView>,
): Messages | undefined {
  // Searches from the end, because most updates change the last message.
  const index = messages.findLastIndex(({ id }) => id === messageId);
  const oldMessage = messages[index];
  return oldMessage === undefined
    ? undefined
    : messages.with(index, { ...oldMessage, ...change(oldMessage) });
}

/**
 * Replaces the messages of the chat, and updates `streaming`: the id of the last message for which {@link isBusy}
 * returns true.
 */
function replaceMessages(chat: ChatState, messages: Messages): ChatState {
  const streaming = messages.findLast(isBusy)?.id ?? null;
  return { ...chat, messages, streaming };
}

function putCall(calls: readonly ToolCallView[], call: ToolCallView): ToolCallView[] {
  const index = calls.findIndex(({ id }) => id === call.id);
  return index === -1 ? [...calls, call] : calls.with(index, call);
}

function putChanges(allChanges: readonly ChangesView[], changes: ChangesView): ChangesView[] {
  const index = allChanges.findIndex(({ turnId }) => turnId === changes.turnId);
  return index === -1 ? [...allChanges, changes] : allChanges.with(index, changes);
}

export type PostMessage = (message: WebviewMessage) => void;

import * as vscode from 'vscode';
import type { Lazy } from '../../base/lazy.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { groupModels } from '../../models/model-selection.ts';
import { type ModelReference, selectModelOfChat } from '../../models/vscode/selected-model.ts';
import { toModelView } from '../../models/vscode/model-view.ts';
import { createId } from '../../base/ids.ts';
import type { Answer, Attachment } from '../../conversation/conversation.ts';
import { readImagePrompt } from '../image-turn.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import type { AttachmentCommands } from './attach.ts';
import type { Chats } from './chats.ts';
import { createLazyHandlers, type Notice, type OpenChat, type PageHandlers } from './open-chat.ts';
import type {
  ActiveFileSuggestion,
  SuggestedPrompts,
} from '../context/vscode/suggested-prompts.ts';

interface ComposerContext {
  readonly host: Host;
  readonly chats: Chats;
  readonly agents: Pick<Agents, 'instructionWatcher'>;
  readonly attachmentCommands: Lazy<AttachmentCommands>;
  readonly suggestions: SuggestedPrompts;
  readonly activeFile: Pick<ActiveFileSuggestion, 'uri' | 'label'>;
  readonly post: (message: HostMessage) => void;
  /** Counts the tokens of the system prompt and the tools in the next request. */
  readonly countBaseTokens: () => void;
}

/** Returns the handlers for messages about the draft, the attachments and the model of the composer. */
export const createComposerHandlers = (
  context: ComposerContext,
): PageHandlers<
  | 'suggestion-choose'
  | 'draft-change'
  | 'attachment-add'
  | 'attachment-remove'
  | 'active-file-attach'
  | 'media-add'
  | 'media-scaled'
  | 'attachment-open'
  | 'model-list-request'
  | 'model-select'
  | 'options-action'
  | 'queue-act'
> => ({
  // The context of a suggested prompt is attached immediately, so that the user sees it before sending.
  'suggestion-choose': async ({ text }, chat) => {
    const suggestion = context.suggestions.findPrompt(text);
    if (suggestion?.attachmentSource === undefined) return undefined;
    const { kind, uri } = suggestion.attachmentSource;
    return (await context.attachmentCommands.get()).attachByKind(kind, uri, chat);
  },
  'draft-change': ({ conversationId, text }) => {
    if (text !== '') context.countBaseTokens();
    context.chats.saveDraft(conversationId, text);
  },
  'attachment-add': async ({ source }, chat) =>
    (await context.attachmentCommands.get()).attachSource(source, chat),
  'attachment-remove': ({ id }, chat) => chat.detach(id),
  'active-file-attach': async ({ label }, chat) => {
    const { uri, label: offeredLabel } = context.activeFile;
    if (uri === undefined || label !== offeredLabel) return undefined;
    return (await context.attachmentCommands.get()).attachFile(uri, chat);
  },
  ...createLazyHandlers(
    ['media-add', 'media-scaled', 'attachment-open'],
    async () => (await context.attachmentCommands.get()).handlers,
  ),
  'model-list-request': async ({ refresh }) => {
    const { models } = context.host;
    if (refresh === 'cancel') return models.cancelRetry();
    postModelList(context);
    const subscription = models.onDidChange(() => postModelList(context));
    try {
      await (refresh === 'yes' ? models.refreshForUser() : models.refresh());
    } finally {
      subscription.dispose();
    }
    postModelList(context);
    return undefined;
  },
  'model-select': async ({ id }, { session }) => {
    const { models } = context.host;
    if (models.find(id) !== undefined) await selectModelOfChat(models, session, id);
  },
  'queue-act': ({ id, action }, chat) => {
    const message = chat.queue.findMessage(id);
    if (message === undefined) return undefined;
    if (action === 'send-now') return context.chats.sendQueued(chat, id);
    chat.queue.removeMessage(id);
    if (action === 'remove') return undefined;
    for (const attachment of message.attachments) chat.attach(attachment);
    context.post({ type: 'draft-set', text: message.text, replace: false });
    return undefined;
  },
  'options-action': async (message, { session }) => {
    const { applyOptionsAction } = await import('./option-changes.ts');
    const { host, post, agents } = context;
    const { agents: customAgents } = await agents.instructionWatcher.files;
    post(await applyOptionsAction(message, { host, session, agents: customAgents }));
  },
});

function postModelList({ host, post }: ComposerContext): void {
  const { models, staleReason, isLoading, isWaiting, isPrivateOnly } = host.models;
  const retryAt = isLoading && !isWaiting ? undefined : host.models.retryAt;
  post({
    type: 'model-list',
    models: groupModels(
      models.filter(({ type }) => type === 'text'),
      host.models.choices,
    ).map(({ model, group }) => ({ ...toModelView(model), group })),
    stale: staleReason ?? null,
    loading: isLoading,
    retryAt: retryAt ?? null,
    privateOnly: isPrivateOnly,
  });
}

interface SendContext {
  readonly images: LazyChatImages;
  readonly agents: Pick<Agents, 'mode'>;
  /** Returns the model with this id if the chat may use the model; otherwise undefined. */
  readonly findModel: (id: string) => ModelReference | undefined;
  /**
   * Checks whether the model that a failed answer offers can still replace the failed model, with regard to its
   * protection and its price.
   */
  readonly canUseFallback: (answer: Answer) => boolean;
  readonly getModel: (chat: OpenChat) => ModelReference;
  readonly post: (message: HostMessage) => void;
  /** Returns the chat that the page currently shows. */
  readonly getCurrentChat: () => OpenChat;
  /** Attaches the context that a message requires. Resolves to true if the message can be sent. */
  readonly prepareSend: (text: string, chat: OpenChat) => Promise<boolean>;
}

/** Returns the handlers for messages that send text, and for messages that stop, repeat, continue or select answers. */
export const createSendHandlers = (
  context: SendContext,
): PageHandlers<
  | 'message-send'
  | 'plan-start'
  | 'message-edit'
  | 'turn-stop'
  | 'turn-retry'
  | 'turn-continue'
  | 'branch-select'
> => ({
  'message-send': async (message, chat) => {
    const { head } = chat.session.conversation;
    try {
      return await sendMessage(message, chat, context);
    } catch (error) {
      if (chat.session.conversation.head === head) restoreRejectedText(message.text, chat, context);
      throw error;
    }
  },
  'message-edit': async ({ messageId, text }, chat) =>
    (await chat.session.edit(messageId, text))
      ? undefined
      : restoreRejectedText(text, chat, context),
  'plan-start': async ({ messageId, text, model: modelId }, chat) => {
    const { session } = chat;
    const model = modelId === undefined ? undefined : context.findModel(modelId);
    const isLast =
      session.conversation.head?.id === messageId && session.runningAnswerId === undefined;
    if (!isLast || (modelId !== undefined && model === undefined))
      return restoreRejectedText(text, chat, context);
    const previousMode = session.conversation.mode ?? context.agents.mode;
    // Only the mode of this chat changes, not the mode of new chats.
    await session.setMode('agent');
    // A user message shows Markdown as plain text, so the plan is an attachment.
    const planLabel = vscode.l10n.t('Plan');
    const attachment = {
      id: createId(),
      kind: 'file',
      label: planLabel,
      language: 'markdown',
      text,
    } as const;
    const message = vscode.l10n.t('Carry out this plan.');
    if (await session.send(message, [attachment], model && { id: model.id, name: model.name }))
      return undefined;
    await session.setMode(previousMode);
    return restoreRejectedText(text, chat, context);
  },
  'turn-stop': (_message, { session }) => session.stop(),
  'turn-retry': async ({ messageId, model: modelId }, { session }) => {
    if (modelId === undefined) return session.retry(messageId);
    const model = context.findModel(modelId);
    const answer = session.conversation.findMessage(messageId);
    const isOffered = answer?.role === 'assistant' && answer.result.fallback?.id === modelId;
    // The models may have changed since the offer.
    if (isOffered && !context.canUseFallback(answer)) {
      await vscode.commands.executeCommand('inferenceService.selectModel');
      return undefined;
    }
    if (model === undefined) return undefined;
    return session.retry(messageId, { id: model.id, name: model.name });
  },
  'turn-continue': ({ messageId }, { session }) => session.continue(messageId),
  'branch-select': ({ messageId, index }, { session }) => session.selectBranch(messageId, index),
});

async function sendMessage(
  { conversationId, text }: Extract<WebviewMessage, { type: 'message-send' }>,
  chat: OpenChat,
  context: SendContext,
): Promise<Notice> {
  const { session, id, attachments } = chat;
  if (text === '' && !attachments.some(({ media }) => media !== undefined)) return undefined;
  if (conversationId !== id) {
    addToComposer(text, context);
    return undefined;
  }
  const isRunning = session.runningAnswerId !== undefined;
  const personaMatch = /^\/persona(?:\s+(?<words>.*))?$/su.exec(text);
  if (personaMatch !== null) return choosePersona(personaMatch.groups?.['words'] ?? '', chat);
  const prompt = readImagePrompt(text);
  if (prompt !== undefined) return sendImageMessage(text, prompt, chat, context);
  if (isRunning && text === '/compact') return queueMessage(text, chat, context);
  const needsContext = /^\/|#codebase/u.test(text);
  if (needsContext && !(await context.prepareSend(text, chat))) return undefined;
  if (session.runningAnswerId !== undefined)
    return queueMessage(text, chat, context, chat.takeAttachments());
  const isSent = await session.send(text, () => chat.takeAttachments());
  if (isSent) return undefined;
  // Another message may have started a turn while the user was asked for consent.
  if (session.runningAnswerId !== undefined)
    return queueMessage(text, chat, context, chat.takeAttachments());
  return restoreRejectedText(text, chat, context);
}

/** Adds a message to the queue of a chat whose turn is running. */
function queueMessage(
  text: string,
  chat: OpenChat,
  { getModel }: SendContext,
  attachments: readonly Attachment[] = [],
): void {
  chat.draft = '';
  const model = getModel(chat);
  chat.queue.addMessage({ id: createId(), text, attachments, isUrgent: false, model });
}

async function choosePersona(query: string, chat: OpenChat): Promise<void> {
  chat.draft = '';
  await vscode.commands.executeCommand('inferenceService.chatWithPersona', query);
}

/** Sends an `/image` message. The attachments remain in the composer, because only a text model can use them. */
async function sendImageMessage(
  text: string,
  prompt: string,
  chat: OpenChat,
  context: SendContext,
): Promise<Notice> {
  const runtime = await context.images.get();
  const problem = runtime.chat.findPromptProblem(prompt);
  if (problem !== undefined) {
    addToComposer(text, context);
    return problem;
  }
  if (chat.session.runningAnswerId !== undefined) return queueMessage(text, chat, context);
  chat.draft = '';
  await chat.session.send(text, []);
  return undefined;
}

/**
 * Restores a rejected message in the composer of its chat. If the page now shows another chat, adds the message to the
 * draft of its chat.
 */
function restoreRejectedText(text: string, chat: OpenChat, context: SendContext): Notice {
  if (context.getCurrentChat() === chat) addToComposer(text, context);
  else chat.restoreToDraft(text);
  return undefined;
}

/** Adds a rejected message to the composer of the page, below the existing text. */
const addToComposer = (text: string, { post }: SendContext): void =>
  post({ type: 'draft-set', text, replace: false });

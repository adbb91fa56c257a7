import * as vscode from 'vscode';
import type { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { toModelView } from '../../models/vscode/model-view.ts';
import { imagePrompt } from '../image-turn.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import type { Attach } from './attach.ts';
import type { Chats } from './chats.ts';
import type { Notice, OpenChat, PageHandlers } from './open-chat.ts';
import type { SuggestedPrompts } from '../context/vscode/suggested-prompts.ts';

interface ComposerContext {
  readonly host: Host;
  readonly chats: Chats;
  readonly attach: Lazy<Attach>;
  readonly suggestions: SuggestedPrompts;
  readonly post: (message: HostMessage) => void;
  /** Counts the tokens that accompany the next message. */
  readonly countBaseTokens: () => void;
}

/** Handles messages about the draft, attachments and models of the composer. */
export const composerHandlers = (
  context: ComposerContext,
): PageHandlers<
  | 'suggestion-choose'
  | 'draft-change'
  | 'attachment-add'
  | 'attachment-remove'
  | 'media-add'
  | 'media-scaled'
  | 'attachment-open'
  | 'model-list-request'
  | 'model-select'
  | 'options-act'
> => ({
  // Attach the file of a suggested prompt before it is sent, so that the user sees the attachment.
  'suggestion-choose': async ({ text }, chat) => {
    const suggestion = context.suggestions.list().find((item) => item.text === text);
    if (suggestion?.attach === undefined) return undefined;
    const { kind, uri } = suggestion.attach;
    return (await context.attach.get()).attachKind(kind, uri, chat);
  },
  'draft-change': ({ conversationId, text }) => {
    if (text !== '') context.countBaseTokens();
    context.chats.saveDraft(conversationId, text);
  },
  'attachment-add': async ({ source }, chat) =>
    (await context.attach.get()).attachSource(source, chat),
  'attachment-remove': ({ id }, chat) => chat.detach(id),
  'media-add': async (message, chat) =>
    (await context.attach.get()).handlers['media-add'](message, chat),
  'media-scaled': async (message, chat) =>
    (await context.attach.get()).handlers['media-scaled'](message, chat),
  'attachment-open': async (message, chat) =>
    (await context.attach.get()).handlers['attachment-open'](message, chat),
  'model-list-request': async ({ refresh }) => {
    postModelList(context);
    await context.host.models.refresh({ force: refresh === 'yes' });
    postModelList(context);
  },
  'model-select': async ({ id }) => {
    const { models } = context.host;
    if (models.find(id) !== undefined) await models.selectChatModel(id);
  },
  'options-act': async (message, { session }) => {
    const { applyOptionsAct: actOnOptions } = await import('./option-changes.ts');
    context.post(await actOnOptions(message, { host: context.host, session }));
  },
});

function postModelList({ host, post }: ComposerContext): void {
  const { models, staleReason: stale, isLoading: loading, privateOnly } = host.models;
  post({
    type: 'model-list',
    models: models.filter(({ type }) => type === 'text').map(toModelView),
    stale: stale ?? null,
    loading,
    privateOnly,
  });
}

interface SendContext {
  readonly images: LazyChatImages;
  readonly post: (message: HostMessage) => void;
  /** The chat that the page shows now. */
  readonly currentChat: () => OpenChat;
  /** Prepares a message with `/` or `#codebase`. Resolves to whether it is sent. */
  readonly prepareSend: (text: string, chat: OpenChat) => Promise<boolean>;
}

/** Handles messages that send text, and that start, stop or select turns of a chat. */
export const sendHandlers = (
  context: SendContext,
): PageHandlers<
  'message-send' | 'message-edit' | 'turn-stop' | 'turn-retry' | 'turn-continue' | 'branch-select'
> => ({
  'message-send': (message, chat) => send(message, chat, context),
  'message-edit': async ({ messageId, text }, chat) =>
    (await chat.session.edit(messageId, text)) ? undefined : returnText(text, chat, context),
  'turn-stop': (_message, { session }) => session.stop(),
  'turn-retry': ({ messageId }, { session }) => session.retry(messageId),
  'turn-continue': ({ messageId }, { session }) => session.continue(messageId),
  'branch-select': ({ messageId, index }, { session }) => session.selectBranch(messageId, index),
});

async function send(
  { conversationId, text }: Extract<WebviewMessage, { type: 'message-send' }>,
  chat: OpenChat,
  context: SendContext,
): Promise<Notice> {
  const { session, id, attachments } = chat;
  if (text === '' && !attachments.some(({ media }) => media !== undefined)) return undefined;
  if (conversationId !== id || session.streaming !== undefined) {
    putBack(text, context);
    return waitFirst();
  }
  const persona = /^\/persona(?:\s+(?<words>.*))?$/su.exec(text);
  if (persona !== null) return choosePersona(persona.groups?.['words'] ?? '', chat);
  const prompt = imagePrompt(text);
  if (prompt !== undefined) return sendForImage(text, prompt, chat, context);
  const needsContext = /^\/|#codebase/u.test(text);
  if (needsContext && !(await context.prepareSend(text, chat))) return undefined;
  const isSent = await session.send(text, () => chat.takeAttachments());
  return isSent ? undefined : returnText(text, chat, context);
}

async function choosePersona(words: string, chat: OpenChat): Promise<void> {
  chat.draft = '';
  await vscode.commands.executeCommand('inferenceService.chatWithPersona', words);
}

/** Sends an `/image` message. The attachments stay in the composer, because they are for a text model. */
async function sendForImage(
  text: string,
  prompt: string,
  chat: OpenChat,
  context: SendContext,
): Promise<Notice> {
  const runtime = await context.images.get();
  const problem = runtime.chat.promptProblem(prompt);
  if (problem !== undefined) {
    putBack(text, context);
    return problem;
  }
  chat.draft = '';
  await chat.session.send(text, []);
  return undefined;
}

/** Returns a rejected message to its composer. The page may show another chat since the user was asked. */
function returnText(text: string, chat: OpenChat, context: SendContext): Notice {
  if (context.currentChat() !== chat) {
    chat.draft = [chat.draft, text].filter((item) => item !== '').join('\n\n');
    return undefined;
  }
  putBack(text, context);
  return chat.session.streaming === undefined ? undefined : waitFirst();
}

/** Puts a message that was not sent back into the composer, below the text there. */
const putBack = (text: string, { post }: SendContext): void =>
  post({ type: 'draft-set', text, replace: false });

const waitFirst = (): string =>
  vscode.l10n.t('Wait for the answer, or stop it, before you send the next message.');

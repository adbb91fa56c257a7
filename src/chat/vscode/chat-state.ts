import type * as vscode from 'vscode';
import { getMediaFolder } from '../../conversation/vscode/media-files.ts';
import type { Host } from '../../host.ts';
import { getGalleryFolder } from '../../image/vscode/gallery-folder.ts';
import { findSelectedModel, getChatSelection } from '../../models/vscode/selected-model.ts';
import { createSelectedModelView } from '../../privacy/vscode/protection-view.ts';
import type { OptionsState } from '../protocol/composer.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { ChatState } from '../protocol/view-state.ts';
import type { AgentState } from './agent-messages.ts';
import { createAttachmentView, createMessageView, createQueuedViews } from './message-view.ts';
import type { OpenChat } from './open-chat.ts';
import { createOptionsState, getPersonaName, createVoiceView } from './options-state.ts';
import { shouldWrapCode } from './page-actions.ts';
import type { SuggestedPrompts } from '../context/vscode/suggested-prompts.ts';

interface ChatStateContext {
  readonly host: Host;
  readonly webview: vscode.Webview;
  readonly suggestions: SuggestedPrompts;
  readonly suggestionsOffer: { readonly isOffered: boolean };
}

/**
 * Builds the page state of a chat, except for the open file that the composer offers to attach, and the fields of
 * {@link AgentState}. Also builds messages about changes of this state.
 */
export class ChatStateBuilder {
  readonly #context: ChatStateContext;

  constructor(context: ChatStateContext) {
    this.#context = context;
  }

  createState(chat: OpenChat): Omit<ChatState, keyof AgentState | 'activeFile'> {
    const { host, webview } = this.#context;
    const { conversation, runningAnswerId } = chat.session;
    return {
      conversation: { id: conversation.id, title: conversation.title },
      messages: conversation
        .listPath()
        .map((message) => createMessageView(conversation, message, runningAnswerId)),
      streaming: runningAnswerId ?? null,
      attachments: chat.attachments.map(createAttachmentView),
      todos: conversation.todoList.items
        .map((todo) => ({ ...todo, text: todo.text.slice(0, 400) }))
        .slice(0, 200),
      queued: createQueuedViews(chat.queue),
      draft: chat.draft,
      model: this.#createModelView(chat),
      account: host.account.view,
      suggestions: this.#listSuggestedPrompts(chat),
      suggestionsOffer: this.#context.suggestionsOffer.isOffered,
      generatedImagesUrl: webview.asWebviewUri(getGalleryFolder(host)).toString(),
      media: webview.asWebviewUri(getMediaFolder(host.context)).toString(),
      wrapCode: shouldWrapCode(),
      options: this.#createOptionsState(chat),
      voice: createVoiceView(host.models, conversation),
    };
  }

  /** Returns messages about the model of the chat, and about the options and the voices that depend on the model. */
  createModelChanges(chat: OpenChat): readonly HostMessage[] {
    const { models } = this.#context.host;
    return [
      { type: 'options-change', options: this.#createOptionsState(chat) },
      { type: 'voice-change', voice: createVoiceView(models, chat.session.conversation) },
      { type: 'model-change', model: this.#createModelView(chat) },
    ];
  }

  createSuggestionsChange(chat: OpenChat): HostMessage {
    return { type: 'suggestions-change', suggestions: this.#listSuggestedPrompts(chat) };
  }

  #createOptionsState({ session }: OpenChat): OptionsState {
    return createOptionsState(
      session.conversation.options,
      findSelectedModel(getChatSelection(this.#context.host.models, session.conversation)),
    );
  }

  #createModelView({ session }: OpenChat): ChatState['model'] {
    const { models } = this.#context.host;
    return createSelectedModelView(getChatSelection(models, session.conversation));
  }

  /**
   * Returns the texts of suggested prompts. Empty in a chat with a persona, because a persona cannot read the
   * workspace.
   */
  #listSuggestedPrompts({ session }: OpenChat): string[] {
    if (getPersonaName(session.conversation) !== null) return [];
    return this.#context.suggestions.listPrompts().map(({ text }) => text);
  }
}

import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { Clock } from '../../../src/base/clock.ts';
import type { FailureView } from '../../../src/account/protocol.ts';
import type { ChangesView } from '../../../src/agent/protocol.ts';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import { renderIcon, renderTextButton } from '../../base/controls.ts';
import {
  countSecondsLeft,
  type FailureCard,
  isRetryAction,
  listAvailableActions,
  renderFailureCard,
} from '../../base/failure-card.ts';
import { formatDuration } from '../../base/format.ts';
import { renderAttachmentChips } from '../composer/attachment-chips.ts';
import { createEditBox } from '../composer/edit-box.ts';
import type { SavedState } from '../saved-state.ts';
import { isBusy, type PostMessage } from '../store.ts';
import { renderChangesPanel } from './changes.ts';
import type { GeneratedImages } from './images.ts';
import { renderDamageNote, renderMessageFooter } from './message-footer.ts';
import type { SourceList } from './sources.ts';
import { StreamedText, TextFold } from './text-fold.ts';
import { type ToolAction, type ToolOutput, ToolRows } from './tool-row.ts';
import type { MessageLayout } from './turn-layout.ts';
import type { MarkdownOptions } from '../../markdown/markdown-stream.ts';

/** Checks whether the model is currently reasoning. */
export const isThinking = ({ status, reasoningMs }: MessageView): boolean =>
  status === 'streaming' && reasoningMs === null;

/** Returns the label of the collapsible reasoning, such as `Thought for 6 s`. */
export function formatReasoningLabel(message: MessageView): string {
  const { reasoningMs } = message;
  if (isThinking(message)) return l10n.t('Thinking');
  if (reasoningMs === null) return l10n.t('Thought');
  return reasoningMs < 950
    ? l10n.t('Thought')
    : l10n.t('Thought for {0}', formatDuration(reasoningMs));
}

export interface MessageContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  readonly savedState: Pick<SavedState, 'getEditedText' | 'saveEditedText'>;
  readonly markdown: MarkdownOptions;
  /** Called with true when an editor opens in place of a message, and with false when the editor closes. */
  readonly onEditorToggle: (isOpen: boolean) => void;
  /** Scrolls the pending approval or question into view. */
  readonly revealPendingCard: (messageId: string, callId: string) => void;
  /** Called when the user wants to replace an answer with one from another model. */
  readonly onRetryWithModel: (messageId: string) => void;
  /** Toggles the list of file changes of a turn. */
  readonly toggleChanges: (turnId: string) => void;
  readonly isChangesOpen: (changes: ChangesView) => boolean;
  /** Checks whether the message is being read aloud. */
  readonly isBeingRead: (messageId: string) => boolean;
  /** Returns the URL of a generated image. */
  readonly getImageUrl: (file: string) => string;
  /** Returns the URL of an attached image. */
  readonly getAttachmentUrl: (file: string) => string;
}

/** Rendered message of the transcript, an `article` element. Updates independently of other messages. */
export class MessageItem {
  readonly element = document.createElement('article');
  readonly #context: MessageContext;
  readonly #body = document.createElement('div');
  readonly #text: StreamedText;
  #reasoningFold: TextFold | undefined;
  #summaryFold: TextFold | undefined;
  #tools: ToolRows | undefined;
  #images: GeneratedImages | undefined;
  #sources: SourceList | undefined;
  #message: MessageView;
  #layout: MessageLayout;
  #isRendered = false;
  #isCurrent = false;
  #isUsageExpanded = false;
  #editBox: HTMLElement | undefined;
  #stopCountdown: () => void = () => {};
  /** Cancels the scheduled check for a stalled answer. Undefined if no check is scheduled. */
  #cancelStallCheck: (() => void) | undefined;
  #lastUpdateAt = 0;
  #isStalled = false;

  /** Shows the message as plain text at first. Call {@link formatCompleteMessage} to render it completely. */
  constructor(message: MessageView, layout: MessageLayout, context: MessageContext) {
    this.#message = message;
    this.#layout = layout;
    this.#context = context;
    this.#text = new StreamedText(this.#body, context.markdown);
    this.#body.className = 'text';
    this.#body.dir = 'auto';
    this.#text.showPlainText(message.text);
    this.element.id = message.id;
    this.element.ariaLabel = message.role === 'user' ? l10n.t('You') : l10n.t('Assistant');
    this.element.tabIndex = -1;
    if (message.text !== '') this.element.append(this.#body);
    this.#render();
  }

  get message(): MessageView {
    return this.#message;
  }

  get layout(): MessageLayout {
    return this.#layout;
  }

  update(message: MessageView, layout: MessageLayout): void {
    this.#message = message;
    this.#layout = layout;
    this.#isStalled = false;
    this.#tools?.update(message);
    this.formatCompleteMessage();
    this.#render();
    this.#watchForStall();
  }

  /**
   * Sets the layout and renders the message again. Also call it with the same layout when a function of the context,
   * such as `isBeingRead`, returns a different result.
   */
  applyLayout(layout: MessageLayout): void {
    this.#layout = layout;
    this.#render();
  }

  /** Performs the action of a button in a row of a tool call. `index` is the index of the call in the message. */
  performToolAction(action: ToolAction, index: number): void {
    this.#tools?.performAction(action, index);
  }

  showToolOutput(callId: string, output: ToolOutput): void {
    this.#tools?.showOutput(callId, output);
  }

  /** Renders the complete message, and formats the text of an answer. The text of a user message remains plain. */
  formatCompleteMessage(): void {
    this.#formatText();
    if (this.#isRendered) return;
    this.#isRendered = true;
    this.element.style.minHeight = '';
    this.element.replaceChildren();
    this.#render();
  }

  #formatText(): void {
    const { role, text, status } = this.#message;
    if (role === 'user') {
      this.#text.showPlainText(text);
      return;
    }
    if (text !== '') this.#text.show(text, status === 'streaming');
  }

  /** Adds this message to the tab order if `isCurrent` is true, and removes it otherwise. */
  setCurrent(isCurrent: boolean): void {
    if (isCurrent === this.#isCurrent) return;
    this.#isCurrent = isCurrent;
    this.element.tabIndex = isCurrent ? 0 : -1;
    this.#render();
  }

  openEditBox(): void {
    this.formatCompleteMessage();
    const { post, savedState } = this.#context;
    const { id: messageId } = this.#message;
    // The page can have been reloaded, or can have shown another chat, while the user edited the message.
    const text = savedState.getEditedText(messageId) ?? this.#message.text;
    this.#editBox = createEditBox({
      text,
      onInput: (editedText) => savedState.saveEditedText(messageId, editedText),
      onCancel: () => this.#closeEditor(),
      onSubmit: (editedText) => {
        this.#closeEditor();
        post({ type: 'message-edit', messageId, text: editedText });
      },
    });
    this.#context.onEditorToggle(true);
    this.#render();
    const textArea = this.#editBox.querySelector('textarea');
    textArea?.focus();
    textArea?.setSelectionRange(text.length, text.length);
  }

  dispose(): void {
    this.#stopCountdown();
    this.#cancelStallCheck?.();
    this.#reasoningFold?.dispose();
    this.#summaryFold?.dispose();
    this.#tools?.dispose();
    this.#images?.dispose();
    this.#sources?.dispose();
    this.#text.dispose();
    if (this.#editBox !== undefined) this.#context.onEditorToggle(false);
    this.element.remove();
  }

  #closeEditor(): void {
    this.#editBox = undefined;
    this.#context.savedState.saveEditedText(this.#message.id, undefined);
    this.#render();
    this.#context.onEditorToggle(false);
  }

  #render(): void {
    const { role } = this.#message;
    const { isContinued, isContinuation, isHidden } = this.#layout;
    this.element.className = `message ${role}`;
    this.element.classList.toggle('continues', isContinued);
    this.element.classList.toggle('continuation', isContinuation);
    this.element.hidden = isHidden;
    this.element.ariaBusy = isBusy(this.#message) ? 'true' : null;
    if (!this.#isRendered) {
      this.element.style.minHeight = `${estimateMinHeight(this.#message, this.#layout)}px`;
      return;
    }
    render(role === 'user' ? this.#renderRequest() : this.#renderAnswer(), this.element);
    this.#countDown();
  }

  #renderRequest(): TemplateResult {
    if (this.#editBox !== undefined) return html`${this.#editBox}`;
    const { attachments, hiddenCharacters, text } = this.#message;
    if (text === '' && attachments.length === 0)
      return html`${this.#renderSummaryFold()} ${renderDamageNote(this.#message)}`;
    return html`${this.#renderSummaryFold()}
      <div class="request">
        ${renderAttachmentChips(attachments, {
          getImageUrl: this.#context.getAttachmentUrl,
          openAttachment: (attachmentId) =>
            this.#context.post({
              type: 'attachment-open',
              messageId: this.#message.id,
              id: attachmentId,
            }),
          tabIndex: this.#isCurrent ? 0 : -1,
        })}
        ${this.#body}
        ${
          hiddenCharacters === 0
            ? nothing
            : html`<p class="note">
                ${renderIcon('warning')} ${formatHiddenCharactersNote(hiddenCharacters)}
              </p>`
        }
      </div>
      ${renderDamageNote(this.#message)} ${this.#renderFooter()}`;
  }

  #renderAnswer(): TemplateResult {
    if (this.#layout.isHidden) return html``;
    const { text, failure, notices } = this.#message;
    return html`${this.#renderSummaryFold()} ${this.#renderReasoningFold()}
    ${isWaiting(this.#message) ? renderWorkingNote() : nothing}
    ${(notices ?? []).map((notice) => html`<p class="note">${renderIcon('info')} ${notice}</p>`)}
    ${text === '' ? nothing : this.#body} ${this.#renderSourceList()} ${this.#renderImageRows()}
    ${this.#renderToolRows()} ${this.#isStalled ? renderWorkingNote() : nothing}
    ${renderDamageNote(this.#message)}
    ${failure === null ? this.#renderStatusNote() : renderFailureCard({ failure: this.#isEmpty() ? removeContinueAction(failure) : failure, ...this.#createFailureContext() })}
    ${this.#renderChanges()}
    ${isBusy(this.#message) || this.#layout.isContinued ? nothing : this.#renderFooter()}`;
  }

  #renderReasoningFold(): TemplateResult | typeof nothing {
    const message = this.#message;
    if (message.reasoning === '' || this.#layout.hasFoldedReasoning) return nothing;
    this.#reasoningFold ??= this.#createTextFold();
    return this.#reasoningFold.render({
      label: formatReasoningLabel(message),
      text: message.reasoning,
      isGrowing: isThinking(message),
    });
  }

  #renderSummaryFold(): TemplateResult | typeof nothing {
    const { summary } = this.#message;
    if (summary === null) return nothing;
    this.#summaryFold ??= this.#createTextFold();
    const label = l10n.t('From here on the model gets a summary of what came before.');
    return this.#summaryFold.render({ label, text: summary, isGrowing: false });
  }

  #createTextFold(): TextFold {
    return new TextFold(this.#context.markdown, () => this.#render());
  }

  #renderToolRows(): TemplateResult | typeof nothing {
    if (this.#message.toolCalls.length === 0) return nothing;
    this.#tools ??= new ToolRows(this.#message, {
      post: this.#context.post,
      clock: this.#context.clock,
      revealPendingCard: this.#context.revealPendingCard,
      onChange: () => this.#render(),
    });
    return this.#tools.render(this.#layout.rows, this.#isCurrent ? 0 : -1);
  }

  #renderSourceList(): TemplateResult | typeof nothing {
    const { citations } = this.#message;
    const { sources, sourceNumbers } = this.#layout;
    if (citations.length === 0 && sources.length === 0) return nothing;
    if (this.#sources === undefined) void this.#loadSources();
    this.#sources?.update({ citations, numbers: sourceNumbers, listedSources: sources });
    return sources.length === 0 ? nothing : html`${this.#sources?.element}`;
  }

  async #loadSources(): Promise<void> {
    const { SourceList } = await import('./sources.ts');
    this.#sources ??= new SourceList(this.#body, this.#context.post);
    this.#render();
  }

  #renderImageRows(): TemplateResult | typeof nothing {
    if (this.#message.generatedImages === null) return nothing;
    if (this.#images === undefined) void this.#loadImages();
    this.#images?.update(this.#message, this.#isCurrent);
    return html`${this.#images?.element}`;
  }

  async #loadImages(): Promise<void> {
    const { GeneratedImages } = await import('./images.ts');
    this.#images ??= new GeneratedImages(this.#context);
    this.#render();
  }

  #renderChanges(): TemplateResult | typeof nothing {
    const { changes } = this.#layout;
    if (changes === null) return nothing;
    const { post, toggleChanges, isChangesOpen } = this.#context;
    return renderChangesPanel({
      changes,
      isOpen: isChangesOpen(changes),
      isBusy: isBusy(this.#message),
      tabIndex: this.#isCurrent ? 0 : -1,
      post,
      onToggle: () => toggleChanges(changes.turnId),
    });
  }

  #renderStatusNote(): TemplateResult | typeof nothing {
    const { status, id: messageId } = this.#message;
    const { post } = this.#context;
    const isEmpty = this.#isEmpty();
    const renderContinueButton = (isPrimary: boolean): TemplateResult =>
      renderTextButton({
        label: l10n.t('Continue'),
        isPrimary,
        onClick: () => post({ type: 'turn-continue', messageId }),
      });
    if (status === 'stopped') {
      return html`<div class="note interrupted">
        ${renderIcon('circle-slash')}
        <span>${l10n.t('Stopped')}</span> ${isEmpty ? nothing : renderContinueButton(false)}
      </div>`;
    }
    if (status !== 'interrupted') return nothing;
    return html`<div class="note interrupted">
      ${renderIcon('debug-disconnect')}
      <span>${l10n.t('Interrupted before the end')}</span>
      ${isEmpty ? nothing : renderContinueButton(true)}
      ${renderTextButton({ label: l10n.t('Retry'), isPrimary: isEmpty, onClick: () => post({ type: 'turn-retry', messageId }) })}
    </div>`;
  }

  #renderFooter(): TemplateResult {
    const { id: messageId, role } = this.#message;
    const { post, isBeingRead } = this.#context;
    return renderMessageFooter({
      message: this.#message,
      isBeingRead: isBeingRead(messageId),
      stats: this.#layout.stats,
      isCurrent: this.#isCurrent,
      isExpanded: this.#isUsageExpanded,
      copyMessage: () => post({ type: 'message-copy', messageId }),
      ...(role === 'user' && {
        editMessage: () => this.openEditBox(),
        restoreState: () => post({ type: 'message-restore', messageId }),
      }),
      ...(role === 'assistant' &&
        this.#message.text !== '' && {
          readAloud: () => post({ type: 'speech-start', messageId }),
        }),
      ...(role === 'assistant' &&
        !this.#offersRetry() && {
          retryAnswer: () => post({ type: 'turn-retry', messageId }),
          ...(this.#message.generatedImages === null && {
            retryWithModel: () => this.#context.onRetryWithModel(messageId),
          }),
        }),
      selectBranch: (index) => post({ type: 'branch-select', messageId, index }),
      showAttestation: () => post({ type: 'attestation-show', messageId }),
      toggleDetails: () => {
        this.#isUsageExpanded = !this.#isUsageExpanded;
        this.#render();
      },
    });
  }

  /**
   * Checks whether the turn has produced neither text nor tool calls. The user can then only retry the turn, not
   * continue it.
   */
  #isEmpty(): boolean {
    const { text, toolCalls } = this.#message;
    return text === '' && toolCalls.length === 0 && !this.#layout.isContinuation;
  }

  /**
   * Marks the streaming answer as stalled if no update arrives within {@link stallMs}. Does not restart the timer at
   * each update: when the timer fires, it is scheduled again for the time that remains since the last update.
   */
  #watchForStall(): void {
    const { clock } = this.#context;
    if (!isStreamingText(this.#message)) {
      this.#cancelStallCheck?.();
      this.#cancelStallCheck = undefined;
      return;
    }
    this.#lastUpdateAt = clock.now();
    this.#cancelStallCheck ??= this.#scheduleStallCheck(stallMs);
  }

  #scheduleStallCheck(ms: number): () => void {
    const { clock } = this.#context;
    return clock.after(ms, () => {
      const remainingMs = this.#lastUpdateAt + stallMs - clock.now();
      this.#cancelStallCheck = remainingMs > 0 ? this.#scheduleStallCheck(remainingMs) : undefined;
      if (remainingMs > 0) return;
      this.#isStalled = true;
      this.#render();
    });
  }

  /** Checks whether a Retry button is already visible above the footer. The footer then has no Retry button. */
  #offersRetry(): boolean {
    const { status, failure } = this.#message;
    if (failure === null) return status === 'interrupted';
    return listAvailableActions(failure, this.#context.clock.now()).some(isRetryAction);
  }

  #createFailureContext(): Omit<FailureCard, 'failure'> {
    const { clock, post } = this.#context;
    const { id: messageId, status } = this.#message;
    return {
      now: clock.now(),
      retriesAutomatically: status === 'streaming',
      runAction: (action) => post({ type: 'action-run', messageId, action }),
      continueWithModel: (model) => post({ type: 'turn-retry', messageId, model }),
    };
  }

  #countDown(): void {
    this.#stopCountdown();
    const { failure } = this.#message;
    const { clock } = this.#context;
    if (failure === null || countSecondsLeft(failure, clock.now()) === 0) return;
    this.#stopCountdown = clock.after(1_000, () => this.#render());
  }
}

/** Returns the estimated minimum height, in pixels, of a message that is not rendered yet. */
export function estimateMinHeight(
  { text }: MessageView,
  { isHidden, rows }: MessageLayout,
): number {
  return isHidden ? 0 : rows.length * rowHeight + (text === '' ? 0 : rowHeight);
}

const rowHeight = 24;

/** Checks whether the answer is streaming but no content has arrived. */
const isWaiting = (message: MessageView): boolean => {
  const { status, text, reasoning, failure, toolCalls, generatedImages } = message;
  return (
    status === 'streaming' &&
    generatedImages === null &&
    text === '' &&
    reasoning === '' &&
    failure === null &&
    toolCalls.length === 0
  );
};

/** Checks whether the text of the answer is streaming. */
const isStreamingText = (message: MessageView): boolean => {
  const { status, text, failure, toolCalls, generatedImages } = message;
  return (
    status === 'streaming' &&
    generatedImages === null &&
    text !== '' &&
    failure === null &&
    toolCalls.length === 0
  );
};

/** Time without an update after which a streaming answer counts as stalled, in milliseconds. */
const stallMs = 1_000;

const renderWorkingNote = (): TemplateResult =>
  html`<p class="note working">${renderIcon('loading')} ${l10n.t('Generating')}</p>`;

const removeContinueAction = (failure: FailureView): FailureView => ({
  ...failure,
  actions: failure.actions.filter(({ action }) => action !== 'continue'),
});

const formatHiddenCharactersNote = (count: number): string =>
  l10n.t('Invisible characters removed before sending: {0}', count);

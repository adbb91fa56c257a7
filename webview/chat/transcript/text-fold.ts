import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatBytes } from '../../../src/base/amounts.ts';
import {
  type MarkdownOptions,
  MarkdownStream,
  runWhenIdle,
} from '../../markdown/markdown-stream.ts';
import { renderIcon } from '../../base/controls.ts';

/** Number of characters that are shown initially. Each click on Show More adds the same number. */
export const initialShownLength = 1_000_000;
/**
 * Number of characters that are rendered at a time when a stored message is shown. The first characters are rendered
 * immediately, the others while the page is idle.
 */
const renderChunkChars = 16_384;

/**
 * Renders a text into a container, and updates the container when the text changes. Usually, a change adds text at the
 * end. Text beyond {@link initialShownLength} is rendered when the user clicks Show More.
 */
export class StreamedText {
  readonly #container: HTMLElement;
  readonly #options: MarkdownOptions;
  #stream: MarkdownStream | undefined;
  #text = '';
  #isOpen = true;
  #renderedLength = 0;
  #shownLength = initialShownLength;
  #isScheduled = false;
  #moreButton: HTMLElement | undefined;
  #renderMoreText: () => void = () => {};

  constructor(container: HTMLElement, options: MarkdownOptions) {
    this.#container = container;
    this.#options = options;
  }

  /**
   * Renders `text`.
   * @param isOpen true if more text will follow
   */
  show(text: string, isOpen: boolean): void {
    if (this.#stream !== undefined && text === this.#text && isOpen === this.#isOpen) return;
    const isNew = this.#stream === undefined || !this.#isOpen || !text.startsWith(this.#text);
    const stream = isNew || !this.#stream ? this.#restartStream() : this.#stream;
    this.#text = text;
    this.#isOpen = isOpen;
    // A restored text is rendered in slices.
    this.#renderSlice(stream, isNew && !isOpen ? renderChunkChars : Infinity);
  }

  /** Shows `text` without formatting, which is fast. The next call of `show` formats the text. */
  showPlainText(text: string): void {
    this.dispose();
    this.#container.classList.add('plain');
    this.#container.textContent = text.slice(0, this.#shownLength);
    this.#updateMoreButton(text.length - this.#shownLength, () => this.showPlainText(text));
  }

  dispose(): void {
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#text = '';
    this.#isOpen = true;
  }

  #restartStream(): MarkdownStream {
    this.dispose();
    // Use a new element, because the idle work of an earlier stream may still render into the old element.
    const target = document.createElement('div');
    this.#container.classList.remove('plain');
    this.#container.replaceChildren(target);
    this.#renderedLength = 0;
    this.#isScheduled = false;
    this.#stream = new MarkdownStream(target, this.#options);
    return this.#stream;
  }

  /**
   * Renders at most `length` more characters immediately. Renders the rest, up to the shown length, while the page is
   * idle.
   */
  #renderSlice(stream: MarkdownStream, length: number): void {
    const shownEnd = Math.min(this.#text.length, this.#shownLength);
    const end = Math.min(this.#renderedLength + length, shownEnd);
    if (end > this.#renderedLength) stream.append(this.#text.slice(this.#renderedLength, end));
    this.#renderedLength = end;
    if (!this.#isOpen && end === this.#text.length) stream.closeStream();
    else stream.renderPendingText();
    if (end < shownEnd) this.#scheduleSlice(stream);
    this.#updateMoreButton(this.#text.length - shownEnd, () => {
      if (!this.#isScheduled) this.#renderSlice(stream, renderChunkChars);
    });
  }

  #scheduleSlice(stream: MarkdownStream): void {
    this.#isScheduled = true;
    (this.#options.schedule ?? runWhenIdle)(() => {
      if (stream.isDisposed) return;
      this.#isScheduled = false;
      this.#renderSlice(stream, renderChunkChars);
    });
  }

  /**
   * Shows the Show More button below the text if `remainingLength`, the number of characters that are not shown, is
   * greater than 0.
   */
  #updateMoreButton(remainingLength: number, render: () => void): void {
    if (remainingLength <= 0) {
      const hadFocus =
        this.#moreButton !== undefined && this.#moreButton === document.activeElement;
      this.#moreButton?.remove();
      if (hadFocus) this.#focusText();
      return;
    }
    this.#renderMoreText = render;
    this.#moreButton ??= createMoreButton(() => this.#showMoreText());
    this.#moreButton.textContent = l10n.t('Show More ({0})', formatBytes(remainingLength));
    if (this.#moreButton.parentElement !== this.#container)
      this.#container.append(this.#moreButton);
  }

  /**
   * Focuses the text when the focused Show More button disappears. Otherwise, the browser would move the focus to the
   * page, and keyboard users would lose their position in the text.
   */
  #focusText(): void {
    this.#container.tabIndex = -1;
    this.#container.focus({ preventScroll: true });
  }

  #showMoreText(): void {
    this.#shownLength += initialShownLength;
    this.#renderMoreText();
  }
}

function createMoreButton(onClick: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet-button more-text';
  button.addEventListener('click', onClick);
  return button;
}

interface TextFoldContent {
  readonly label: string;
  readonly text: string;
  /** True while text can still be added. */
  readonly isGrowing: boolean;
}

/** A collapsible text. While collapsed and growing, the text's last line is visible beside the label. */
export class TextFold {
  readonly #body = document.createElement('div');
  readonly #text: StreamedText;
  readonly #onChange: () => void;
  #isOpen = false;

  constructor(markdown: MarkdownOptions, onChange: () => void) {
    this.#body.className = 'reasoning-text';
    this.#body.dir = 'auto';
    this.#text = new StreamedText(this.#body, markdown);
    this.#onChange = onChange;
  }

  render({ label, text, isGrowing }: TextFoldContent): TemplateResult {
    if (this.#isOpen) this.#text.show(text, isGrowing);
    return html`<div class="reasoning ${isGrowing ? 'running' : ''}">
      <button
        type="button"
        class="fold"
        aria-expanded=${this.#isOpen ? 'true' : 'false'}
        @click=${() => this.#toggleFold()}
      >
        ${renderIcon(this.#isOpen ? 'chevron-down' : 'chevron-right')}
        <span class="fold-label">${label}</span>
        ${isGrowing && !this.#isOpen ? renderPreview(text) : nothing}
      </button>
      ${this.#isOpen ? this.#body : nothing}
    </div>`;
  }

  dispose(): void {
    this.#text.dispose();
  }

  #toggleFold(): void {
    this.#isOpen = !this.#isOpen;
    this.#onChange();
  }
}

/** Renders the last line of the text. Truncates a long line at its start, so that the newest text is visible. */
function renderPreview(fullText: string): TemplateResult {
  const text = fullText.slice(-400).trimEnd();
  const line = text.slice(text.lastIndexOf('\n') + 1).trim();
  return html`<span class="fold-preview" aria-hidden="true"><bdi>${line}</bdi></span>`;
}

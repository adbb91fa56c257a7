import { html, nothing, type TemplateResult } from 'lit';
import { type MarkdownOptions, StreamedText } from '../../markdown/markdown-stream.ts';
import { icon } from '../../base/controls.ts';

interface Fold {
  readonly label: string;
  readonly text: string;
  /** True while text can still be added. */
  readonly isGrowing: boolean;
}

/** A collapsible text. While collapsed and growing, the text's last line is visible beside the label. */
export class TextFold {
  readonly #body = document.createElement('div');
  readonly #text: StreamedText;
  readonly #changed: () => void;
  #open = false;

  constructor(markdown: MarkdownOptions, changed: () => void) {
    this.#body.className = 'reasoning-text';
    this.#body.dir = 'auto';
    this.#text = new StreamedText(this.#body, markdown);
    this.#changed = changed;
  }

  template({ label, text, isGrowing: growing }: Fold): TemplateResult {
    if (this.#open) this.#text.show(text, growing);
    return html`<div class="reasoning ${growing ? 'running' : ''}">
      <button
        type="button"
        class="fold"
        aria-expanded=${this.#open ? 'true' : 'false'}
        @click=${() => this.#toggle()}
      >
        ${icon(this.#open ? 'chevron-down' : 'chevron-right')}
        <span class="fold-label">${label}</span>
        ${growing && !this.#open ? preview(text) : nothing}
      </button>
      ${this.#open ? this.#body : nothing}
    </div>`;
  }

  dispose(): void {
    this.#text.dispose();
  }

  #toggle(): void {
    this.#open = !this.#open;
    this.#changed();
  }
}

/** Renders the last line. If the line is too long, its end stays visible, because the end is the newest part. */
function preview(fullText: string): TemplateResult {
  const text = fullText.slice(-400).trimEnd();
  const line = text.slice(text.lastIndexOf('\n') + 1).trim();
  return html`<span class="fold-preview" aria-hidden="true"><bdi>${line}</bdi></span>`;
}

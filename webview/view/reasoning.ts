import { html, nothing, type TemplateResult } from 'lit';
import type { MessageView } from '../../src/protocol/view-state.ts';
import type { MarkdownOptions } from '../markdown/markdown-stream.ts';
import { icon } from './controls.ts';
import { formatDuration } from './format.ts';
import { StreamedText } from './streamed-text.ts';

/** The fold above an answer: one line that says how long the model thought, and its thoughts when opened. */
export class Reasoning {
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

  template(message: MessageView): TemplateResult | typeof nothing {
    if (message.reasoning === '') return nothing;
    const thinking = message.status === 'streaming' && message.reasoningMs === null;
    if (this.#open) this.#text.show(message.reasoning, thinking);
    return html`<div class="reasoning ${thinking ? 'running' : ''}">
      <button
        type="button"
        class="fold"
        aria-expanded=${this.#open ? 'true' : 'false'}
        @click=${() => this.#toggle()}
      >
        ${icon(this.#open ? 'chevron-down' : 'chevron-right')}
        <span class="fold-label">${label(message, thinking)}</span>
        ${thinking && !this.#open ? preview(message.reasoning) : nothing}
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

function label({ reasoningMs }: MessageView, thinking: boolean): string {
  if (thinking) return 'Thinking';
  if (reasoningMs === null) return 'Thought';
  return reasoningMs < 950 ? 'Thought for a moment' : `Thought for ${formatDuration(reasoningMs)}`;
}

/** The last line so far. Its end is what is new, so that is what stays visible when it is too long. */
function preview(reasoning: string): TemplateResult {
  const text = reasoning.slice(-400).trimEnd();
  const line = text.slice(text.lastIndexOf('\n') + 1).trim();
  return html`<span class="fold-preview" aria-hidden="true"><bdi>${line}</bdi></span>`;
}

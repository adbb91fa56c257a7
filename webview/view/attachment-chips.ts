import { html, nothing, type TemplateResult } from 'lit';
import { formatTokens } from '../../src/base/amounts.ts';
import type { AttachmentView, ChatState } from '../../src/protocol/view-state.ts';
import { icon, iconButton } from './controls.ts';

const icons = { selection: 'code', file: 'file', problems: 'warning' } as const;

/** What a message carries beside its text. With `remove` each chip gets its button. */
export function attachmentChips(
  attachments: readonly AttachmentView[],
  remove?: (id: string) => void,
): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing;
  return html`<ul class="chips" aria-label="Attached">
    ${attachments.map((attachment) => chip(attachment, remove))}
  </ul>`;
}

/** Files of the workspace that tell the model how to work there; they go with every request. */
export function instructionChips(
  instructions: ChatState['instructions'],
): TemplateResult | typeof nothing {
  if (instructions.length === 0) return nothing;
  return html`<ul class="chips" aria-label="Instructions">
    ${instructions.map(
      ({ label, tokens }) =>
        html`<li
          class="chip"
          title="${label}: instructions that go with every request, ${count(tokens)}"
        >
          ${icon('book')}
          <span class="chip-label"><bdi>${label}</bdi></span>
          ${tokenCount(tokens)}
        </li>`,
    )}
  </ul>`;
}

const tokenCount = (tokens: number): TemplateResult =>
  html`<span class="chip-tokens" title=${count(tokens)} aria-label=${count(tokens)}
    >${formatTokens(tokens)}</span
  >`;

const count = (tokens: number): string => (tokens === 1 ? '1 token' : `${tokens} tokens`);

function chip(attachment: AttachmentView, remove?: (id: string) => void): TemplateResult {
  const { id, kind, label, tokens, preview } = attachment;
  return html`<li class="chip" title=${preview || label}>
    ${icon(icons[kind])}
    <span class="chip-label"><bdi>${label}</bdi></span>
    ${tokenCount(tokens)}
    ${
      remove === undefined
        ? nothing
        : iconButton({ icon: 'close', label: `Remove ${label}`, run: () => remove(id) })
    }
  </li>`;
}

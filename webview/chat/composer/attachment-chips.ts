import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatBytes, formatTokens } from '../../../src/base/amounts.ts';
import type { AttachmentView, ChatState } from '../../../src/chat/protocol/view-state.ts';
import { icon, iconButton } from '../../base/controls.ts';

const icons = {
  selection: 'code',
  file: 'file',
  problems: 'warning',
  folder: 'folder',
  changes: 'diff',
  terminal: 'terminal',
  symbol: 'symbol-misc',
  search: 'search',
  image: 'file-media',
  document: 'file-pdf',
} as const;

interface ChipActions {
  /** Returns the URL of an attached image. */
  readonly imageUrl: (file: string) => string;
  readonly open: (id: string) => void;
  /** Called with the attachment's id by the remove button of a chip. Chips have no button if this is absent. */
  readonly remove?: (id: string) => void;
  /** True when the message will be encrypted. Only text can be encrypted. */
  readonly isEncrypted?: boolean;
  readonly tabIndex?: number;
}

/** Checks whether the attachment is sent as an image or a document instead of text. */
export const isMedia = ({ kind }: AttachmentView): boolean =>
  kind === 'image' || kind === 'document';

/** Renders the attachments of a message. */
export function attachmentChips(
  attachments: readonly AttachmentView[],
  actions: ChipActions,
): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t('Attached')}>
    ${attachments.map((attachment) => attachmentChip(attachment, actions))}
  </ul>`;
}

/** Renders the instruction files of the workspace. Every request includes these files. */
export function instructionChips(
  instructions: ChatState['instructions'],
): TemplateResult | typeof nothing {
  if (instructions.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t('Instructions')}>
    ${instructions.map(
      ({ label, tokens }) =>
        html`<li
          class="chip"
          title=${l10n.t('{0}: instructions that go with every request, {1}', label, tokenLabel(tokens))}
        >
          ${icon('book')}
          <span class="chip-label"><bdi>${label}</bdi></span>
          ${tokenCount(tokens)}
        </li>`,
    )}
  </ul>`;
}

const tokenCount = (tokens: number): TemplateResult =>
  html`<span class="chip-tokens" title=${tokenLabel(tokens)} aria-label=${tokenLabel(tokens)}
    >${formatTokens(tokens)}</span
  >`;

const createNotSentLabel = (label: string): TemplateResult =>
  html`<span
    class="chip-tokens not-sent"
    title=${l10n.t('Pictures and documents cannot be encrypted: {0} stays here.', label)}
    >${l10n.t('Not sent')}</span
  >`;

const tokenLabel = (tokens: number): string =>
  tokens === 1 ? l10n.t('1 token') : l10n.t('{0} tokens', tokens);

function attachmentChip(
  attachment: AttachmentView,
  { remove, isEncrypted, ...actions }: ChipActions,
): TemplateResult {
  const { id, kind, label, tokens, preview, thumbnail, bytes } = attachment;
  const title = bytes === null ? label : `${label} · ${formatBytes(bytes)}`;
  return html`<li class="chip" title=${preview || title}>
    ${thumbnail === null ? icon(icons[kind]) : imageButton(attachment, thumbnail, actions)}
    <span class="chip-label"><bdi>${label}</bdi></span>
    ${isEncrypted === true && isMedia(attachment) ? createNotSentLabel(label) : tokenCount(tokens)}
    ${
      remove === undefined
        ? nothing
        : iconButton({ icon: 'close', label: l10n.t('Remove {0}', label), run: () => remove(id) })
    }
  </li>`;
}

const imageButton = (
  { id, label }: AttachmentView,
  thumbnail: string,
  { imageUrl, open, tabIndex }: ChipActions,
): TemplateResult =>
  html`<button
    type="button"
    class="chip-image"
    aria-label=${l10n.t('Open {0}', label)}
    tabindex=${tabIndex ?? nothing}
    @click=${() => open(id)}
  >
    <img src=${imageUrl(thumbnail)} alt="" decoding="async" />
  </button>`;

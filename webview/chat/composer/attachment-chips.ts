import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatBytes, formatTokens } from '../../../src/base/amounts.ts';
import type { AttachmentView, ChatState } from '../../../src/chat/protocol/view-state.ts';
import { renderIcon, renderIconButton, renderTextButton } from '../../base/controls.ts';
import type { PostMessage } from '../store.ts';

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
  readonly getImageUrl: (file: string) => string;
  readonly openAttachment: (id: string) => void;
  /**
   * Called with the attachment's id when the user clicks the Remove button of a chip. If absent, chips have no such
   * button.
   */
  readonly onRemove?: (id: string) => void;
  /**
   * True if the message will be encrypted. The chips of images and documents then show that these attachments are not
   * sent, because only text can be encrypted.
   */
  readonly isEncrypted?: boolean;
  readonly tabIndex?: number;
}

/** Checks whether the attachment is sent as an image or a document instead of text. */
export const isMedia = ({ kind }: AttachmentView): boolean =>
  kind === 'image' || kind === 'document';

/** Renders the attachments of a message. */
export function renderAttachmentChips(
  attachments: readonly AttachmentView[],
  actions: ChipActions,
): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t('Attached')}>
    ${attachments.map((attachment) => renderAttachmentChip(attachment, actions))}
  </ul>`;
}

/**
 * Renders a button, in the form of a chip, that attaches the file in the active editor. Renders nothing if no file is
 * active, or if the file is already attached.
 */
export function renderActiveFileChip(
  { activeFile, attachments }: Pick<ChatState, 'activeFile' | 'attachments'>,
  post: PostMessage,
): TemplateResult | typeof nothing {
  if (activeFile === null || attachments.some(({ label }) => label === activeFile)) return nothing;
  const label = l10n.t('Attach {0}', activeFile);
  return html`<button
    type="button"
    class="chip chip-offer"
    aria-label=${label}
    title=${label}
    @click=${() => post({ type: 'active-file-attach', label: activeFile })}
  >
    ${renderIcon('add')}<span class="chip-label"><bdi>${activeFile.split('/').at(-1)}</bdi></span>
  </button>`;
}

/** Renders chips for the instruction files of the workspace. Every request includes these files. */
export function renderInstructionChips(
  instructions: ChatState['instructions'],
): TemplateResult | typeof nothing {
  if (instructions.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t('Instructions')}>
    ${instructions.map(
      ({ label, tokens }) =>
        html`<li
          class="chip"
          title=${
            tokens === null
              ? l10n.t('{0} is malformed and is skipped.', label)
              : `${l10n.t('Instructions')}: ${label}, ${formatTokenLabel(tokens)}`
          }
        >
          ${renderIcon(tokens === null ? 'warning' : 'book')}
          <span class="chip-label"><bdi>${label}</bdi></span>
          ${tokens === null ? nothing : renderTokenCount(tokens)}
        </li>`,
    )}
  </ul>`;
}

const renderTokenCount = (tokens: number): TemplateResult =>
  html`<span
    class="chip-tokens"
    title=${formatTokenLabel(tokens)}
    aria-label=${formatTokenLabel(tokens)}
    >${formatTokens(tokens)}</span
  >`;

const renderNotSentLabel = (label: string): TemplateResult =>
  html`<span
    class="chip-tokens not-sent"
    title=${l10n.t('Images and documents cannot be encrypted: {0} stays here.', label)}
    >${l10n.t('Not sent')}</span
  >`;

const formatTokenLabel = (tokens: number): string =>
  tokens === 1 ? l10n.t('1 token') : l10n.t('{0} tokens', tokens);

function renderAttachmentChip(
  attachment: AttachmentView,
  { onRemove, isEncrypted, ...actions }: ChipActions,
): TemplateResult {
  const { id, kind, label, tokens, preview, thumbnail, bytes } = attachment;
  const name = kind === 'selection' ? formatSelection(label) : label;
  const title = bytes === null ? name : `${name} · ${formatBytes(bytes)}`;
  return html`<li
    class="chip"
    title=${kind === 'selection' ? `${name}\n\n${preview}` : preview || title}
  >
    ${thumbnail === null ? renderIcon(icons[kind]) : renderImageButton(attachment, thumbnail, actions)}
    ${renderChipLabel(label, name)}
    ${isEncrypted === true && isMedia(attachment) ? renderNotSentLabel(label) : renderTokenCount(tokens)}
    ${
      onRemove === undefined
        ? nothing
        : renderIconButton({
            icon: 'close',
            label: l10n.t('Remove {0}', label),
            onClick: () => onRemove(id),
          })
    }
  </li>`;
}

/** Renders the visible label of a chip. Screen readers read `name` instead of the label. */
const renderChipLabel = (label: string, name: string): TemplateResult =>
  name === label
    ? html`<span class="chip-label"><bdi>${label}</bdi></span>`
    : html`<span class="chip-label" aria-hidden="true"><bdi>${label}</bdi></span
        ><span class="visually-hidden">${name}</span>`;

/** Describes a selection for its chip: `Selection: src/tide.ts, lines 7–8`. */
function formatSelection(label: string): string {
  const [, path = '', firstLine = '', lastLine] = /^(.*):(\d+)(?:-(\d+))?$/u.exec(label) ?? [];
  if (firstLine === '') return label;
  return lastLine === undefined
    ? l10n.t('Selection: {0}, line {1}', path, firstLine)
    : l10n.t('Selection: {0}, lines {1}', path, `${firstLine}–${lastLine}`);
}

const renderImageButton = (
  { id, label }: AttachmentView,
  thumbnail: string,
  { getImageUrl, openAttachment, tabIndex }: ChipActions,
): TemplateResult =>
  html`<button
    type="button"
    class="chip-image"
    aria-label=${l10n.t('Open {0}', label)}
    tabindex=${tabIndex ?? nothing}
    @click=${() => openAttachment(id)}
  >
    <img src=${getImageUrl(thumbnail)} alt="" decoding="async" />
  </button>`;

type ImageContext = Pick<ChatState, 'attachments' | 'model'>;

/**
 * Returns the reason why the model cannot accept the attached images. Returns an empty string if the model accepts the
 * images or its limits are unknown.
 */
export function findImageProblem({ attachments, model }: ImageContext): string {
  const count = countImages(attachments);
  if (count === 0 || model === null || model.maxImagesPerMessage === null) return '';
  if (model.maxImagesPerMessage === 0) return l10n.t('{0} cannot see images.', model.name);
  if (count <= model.maxImagesPerMessage) return '';
  if (model.maxImagesPerMessage === 1)
    return l10n.t('Too many images for {0}: at most {1}.', model.name, 1);
  return l10n.t('Too many images for {0}: at most {1}.', model.name, model.maxImagesPerMessage);
}

/**
 * Renders the problem with the attached images and a button to select another model. If there is no problem, but the
 * model uses only the last of several images, renders a note about this limit. Otherwise, renders nothing.
 */
export function renderImageNote(
  chat: ImageContext,
  chooseModel: () => void,
): TemplateResult | typeof nothing {
  const problem = findImageProblem(chat);
  if (problem !== '') {
    return html`<div class="note length-note" role="alert">
      ${renderIcon('warning')} <span>${problem}</span>
      ${renderTextButton({ label: l10n.t('Choose a model'), onClick: chooseModel })}
    </div>`;
  }
  if (chat.model?.usesLastImage !== true || countImages(chat.attachments) < 2) return nothing;
  const note = l10n.t('{0} may look at the last image only.', chat.model.name);
  return html`<p class="note length-note">${renderIcon('info')} <span>${note}</span></p>`;
}

const countImages = (attachments: ChatState['attachments']): number =>
  attachments.filter(({ kind }) => kind === 'image').length;

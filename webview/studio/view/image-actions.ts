import { html, nothing, type TemplateResult } from 'lit';
import type {
  ImageAction,
  ImageDetails,
  ImageView,
} from '../../../src/image/studio/protocol/gallery.ts';
import { icon } from '../../base/controls.ts';
import { labels } from '../labels.ts';

interface ButtonLook {
  readonly icon: string;
  readonly label: string;
  /** True if the button shows no text. */
  readonly iconOnly?: boolean;
}

/** Icons and labels of the actions, in toolbar order. */
const buttonLooks: Readonly<Record<ImageAction | 'copy', ButtonLook>> = {
  save: { icon: 'save', label: labels.save },
  insert: { icon: 'insert', label: labels.insert },
  copy: { icon: 'copy', label: labels.copy, iconOnly: true },
  open: { icon: 'go-to-file', label: labels.open, iconOnly: true },
  reveal: { icon: 'folder-opened', label: labels.reveal, iconOnly: true },
  'same-seed': { icon: 'refresh', label: labels.sameSeed },
  vary: { icon: 'versions', label: labels.vary },
  'upscale-2': { icon: 'screen-full', label: labels.upscale2 },
  'upscale-4': { icon: 'screen-full', label: labels.upscale4 },
  edit: { icon: 'edit', label: labels.editThis },
  'remove-background': { icon: 'eraser', label: labels.removeBackground },
  'use-as-input': { icon: 'file-media', label: labels.useAsInput },
  'use-settings': { icon: 'settings', label: labels.useSettings },
  delete: { icon: 'trash', label: labels.delete, iconOnly: true },
};

export interface ImageActionsOptions {
  /** Details of the image, including its actions. While null, the toolbar contains only Copy. */
  readonly details: ImageDetails | null;
  readonly act: (action: ImageAction) => void;
  readonly copy: () => void;
  /** Called with the reason when the user activates a disabled action. */
  readonly showReason: (reason: string) => void;
}

/** Renders the toolbar of the large view. Buttons of paid actions show the price. */
export function imageActions({
  details,
  act,
  copy,
  showReason,
}: ImageActionsOptions): TemplateResult {
  const actions = new Map(details?.actions.map((action) => [action.action, action]));
  const names = Object.keys(buttonLooks) as (keyof typeof buttonLooks)[];
  return html`<div class="image-actions" role="toolbar" aria-label=${labels.actions}>
    ${names.map((name) => {
      if (name === 'copy') return actionButton(buttonLooks.copy, '', '', copy);
      const action = actions.get(name);
      if (action === undefined) return nothing;
      const { disabled, priceText } = action;
      const run = disabled === '' ? () => act(name) : () => showReason(disabled);
      return actionButton(buttonLooks[name], priceText, disabled, run);
    })}
  </div>`;
}

function actionButton(
  { icon: name, label, iconOnly = false }: ButtonLook,
  price: string,
  disabled: string,
  run: () => void,
): TemplateResult {
  const text = labels.priced(label, price);
  return html`<button
    type="button"
    class="action ${iconOnly ? 'icon-button' : 'quiet-button'}"
    tabindex="-1"
    aria-label=${disabled === '' ? text : `${text}. ${disabled}`}
    aria-disabled=${disabled === '' ? nothing : 'true'}
    title=${disabled || text}
    @click=${run}
  >
    ${icon(name)} ${iconOnly ? nothing : text}
  </button>`;
}

/** Renders the badges of an image. */
export function badges(image: ImageView): TemplateResult | typeof nothing {
  const { blurred, contentViolation, moderationText, file } = image;
  if (!blurred && !contentViolation && file !== 'missing') return nothing;
  return html`<span class="badges">
    ${contentViolation ? badge('circle-slash', labels.violation, moderationText) : nothing}
    ${blurred && !contentViolation ? badge('eye-closed', labels.blurred, moderationText) : nothing}
    ${file === 'missing' ? badge('warning', labels.missing, labels.missingHint) : nothing}
  </span>`;
}

const badge = (name: string, label: string, reason: string): TemplateResult =>
  html`<span class="badge" title=${reason}>${icon(name)} ${label}</span>`;

/** Returns the accessible label of an image: its prompt, model and state. */
export function describe(image: ImageView): string {
  const { prompt, model, blurred, contentViolation, moderationText, file } = image;
  return [
    prompt,
    model,
    contentViolation ? labels.violation : '',
    blurred && !contentViolation ? labels.blurred : '',
    blurred || contentViolation ? moderationText : '',
    file === 'missing' ? labels.missing : '',
  ]
    .filter(Boolean)
    .map((part) => part.replace(/[.\s]+$/u, ''))
    .join('. ');
}

import { html, nothing, type TemplateResult } from 'lit';
import type {
  ImageAction,
  ImageDetails,
  ImageView,
} from '../../../src/image/studio/protocol/gallery.ts';
import { renderIcon } from '../../base/controls.ts';
import { labels } from '../labels.ts';

interface ActionAppearance {
  readonly icon: string;
  readonly label: string;
}

/** Icons and labels of the actions, in menu order. */
const actionButtons: Readonly<Record<ImageAction | 'copy', ActionAppearance>> = {
  save: { icon: 'save', label: labels.save },
  insert: { icon: 'insert', label: labels.insert },
  edit: { icon: 'edit', label: labels.editThis },
  copy: { icon: 'copy', label: labels.copy },
  open: { icon: 'go-to-file', label: labels.open },
  reveal: { icon: 'folder-opened', label: labels.reveal },
  'same-seed': { icon: 'refresh', label: labels.sameSeed },
  vary: { icon: 'versions', label: labels.vary },
  'upscale-2': { icon: 'screen-full', label: labels.formatUpscale(2) },
  'upscale-4': { icon: 'screen-full', label: labels.formatUpscale(4) },
  'remove-background': { icon: 'eraser', label: labels.removeBackground },
  'use-as-input': { icon: 'file-media', label: labels.useAsInput },
  'use-settings': { icon: 'settings', label: labels.useSettings },
  delete: { icon: 'trash', label: labels.delete },
};

/** Actions with a button in the toolbar. The menu contains all other actions. */
const toolbarActions: ReadonlySet<ImageAction | 'copy'> = new Set(['save', 'insert', 'edit']);

export interface ImageActionsOptions {
  /** Details of the image, including its available actions. While null, the menu contains only Copy. */
  readonly details: ImageDetails | null;
  readonly isMenuOpen: boolean;
  readonly toggleMenu: () => void;
  readonly runAction: (action: ImageAction) => void;
  readonly copyImage: () => void;
  /** Called with the reason why an action is disabled, when the user activates the action. */
  readonly showReason: (reason: string) => void;
}

interface AvailableAction extends ActionAppearance {
  readonly name: ImageAction | 'copy';
  /** Label of the action. Includes the price if the action is paid. */
  readonly text: string;
  /** Reason why the action is disabled. Empty if it is enabled. */
  readonly disabledReason: string;
  readonly run: () => void;
}

/** Renders the toolbar of the large view: three actions and a menu. Paid actions show the price. */
export function renderImageActions(options: ImageActionsOptions): TemplateResult {
  const { isMenuOpen, toggleMenu } = options;
  const actions = listAvailableActions(options);
  const isInToolbar = ({ name }: AvailableAction): boolean => toolbarActions.has(name);
  return html`<div class="image-actions" role="toolbar" aria-label=${labels.actions}>
    ${actions.filter(isInToolbar).map((action) => renderActionButton(action, 'quiet-button'))}
    <button
      type="button"
      class="action icon-button menu-button"
      tabindex="-1"
      aria-label=${labels.moreActions}
      aria-haspopup="menu"
      aria-expanded=${isMenuOpen ? 'true' : 'false'}
      title=${labels.moreActions}
      @click=${toggleMenu}
    >
      ${renderIcon('ellipsis')}
    </button>
    ${
      isMenuOpen
        ? html`<div class="image-menu" role="menu" aria-label=${labels.moreActions}>
            ${actions
              .filter((action) => !isInToolbar(action))
              .map((action) => renderActionButton(action, 'menu-item', 'menuitem'))}
          </div>`
        : nothing
    }
  </div>`;
}

function listAvailableActions({
  details,
  runAction,
  copyImage,
  showReason,
}: ImageActionsOptions): AvailableAction[] {
  const actions = new Map(details?.actions.map((action) => [action.action, action]));
  const names = Object.keys(actionButtons) as (keyof typeof actionButtons)[];
  return names.flatMap((name): AvailableAction[] => {
    const appearance = actionButtons[name];
    if (name === 'copy')
      return [{ ...appearance, name, text: appearance.label, disabledReason: '', run: copyImage }];
    const action = actions.get(name);
    if (action === undefined) return [];
    const { disabled: disabledReason, priceText } = action;
    const run = disabledReason === '' ? () => runAction(name) : () => showReason(disabledReason);
    return [
      {
        ...appearance,
        name,
        text: labels.formatPaidAction(appearance.label, priceText),
        disabledReason,
        run,
      },
    ];
  });
}

const renderActionButton = (
  { icon: name, text, disabledReason, run }: AvailableAction,
  className: string,
  role?: 'menuitem',
): TemplateResult =>
  html`<button
    type="button"
    class="action ${className}"
    role=${role ?? nothing}
    tabindex="-1"
    aria-label=${disabledReason === '' ? text : `${text}. ${disabledReason}`}
    aria-disabled=${disabledReason === '' ? nothing : 'true'}
    title=${disabledReason || text}
    @click=${run}
  >
    ${renderIcon(name)} ${text}
  </button>`;

/**
 * Renders badges for a refused image, a blurred image, and an image whose file is missing. Renders nothing for other
 * images.
 */
export function renderBadges(image: ImageView): TemplateResult | typeof nothing {
  const { blurred, contentViolation, moderationText, file } = image;
  if (!blurred && !contentViolation && file !== 'missing') return nothing;
  return html`<span class="badges">
    ${contentViolation ? renderBadge('circle-slash', labels.violation, moderationText) : nothing}
    ${blurred && !contentViolation ? renderBadge('eye-closed', labels.blurred, moderationText) : nothing}
    ${file === 'missing' ? renderBadge('warning', labels.missing, labels.missingHint) : nothing}
  </span>`;
}

const renderBadge = (name: string, label: string, reason: string): TemplateResult =>
  html`<span class="badge" title=${reason}>${renderIcon(name)} ${label}</span>`;

/** Returns the accessible label of an image: its prompt, model and state. */
export function describeImage(image: ImageView): string {
  const { prompt, model, blurred, contentViolation, moderationText, file } = image;
  // The moderation text can repeat the state.
  const parts = new Set([
    prompt,
    model,
    contentViolation ? labels.violation : '',
    blurred && !contentViolation ? labels.blurred : '',
    blurred || contentViolation ? moderationText : '',
    file === 'missing' ? labels.missing : '',
  ]);
  return [...parts]
    .filter(Boolean)
    .map((part) => part.replace(/[.\s]+$/u, ''))
    .join('. ');
}

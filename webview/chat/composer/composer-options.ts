import * as l10n from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { formatAmount, formatTokens, formatUsd } from '../../../src/base/amounts.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { OptionDetails } from '../../../src/chat/protocol/composer.ts';
import type { ChatState, ContextViewMessage } from '../../../src/chat/protocol/view-state.ts';
import type { ProtectionView } from '../../../src/privacy/protocol.ts';
import type { VoiceView } from '../../../src/speech/protocol.ts';
import type { PostMessage } from '../store.ts';
import { renderIcon, renderIconButton } from '../../base/controls.ts';
import type { ChoiceMenu, ChoiceMenuContent } from './choice-menu.ts';
import type { ContextPopover } from './context-popover.ts';
import type { OptionsPopover } from './options-popover.ts';
import type { SendEstimate } from './send-estimate.ts';

interface ComposerDraft {
  readonly chat: ChatState | undefined;
  readonly draft: string;
}

interface ComposerOptionsPorts {
  readonly post: PostMessage;
  /** Called when the composer must be rendered again. */
  readonly onDidChange: () => void;
  readonly showNotice: (text: string) => void;
}

/** The composer's buttons for the options of the conversation. The first click loads the popover of the options. */
export class ComposerOptions {
  readonly #post: PostMessage;
  readonly #onChange: () => void;
  readonly #showNotice: (text: string) => void;
  #popover: OptionsPopover | undefined;
  #contextPopover: ContextPopover | undefined;
  #estimate: SendEstimate | undefined;
  #estimateText = '';
  /** True from the scheduling of an estimate until the estimate is computed. */
  #isEstimating = false;
  #menu: ChoiceMenu | undefined;

  constructor({ post, onDidChange, showNotice }: ComposerOptionsPorts) {
    this.#post = post;
    this.#onChange = onDidChange;
    this.#showNotice = showNotice;
  }

  /** The options popover above the composer's box, or nothing before the popover is loaded. */
  get popover(): HTMLElement | typeof nothing {
    return this.#popover?.element ?? nothing;
  }

  /** The menu of the mode or the permission level, or nothing before the menu is loaded. */
  get menu(): HTMLElement | typeof nothing {
    return this.#menu?.element ?? nothing;
  }

  /** Estimated tokens and cost of the draft, one sentence per line. Empty without a draft. */
  get estimateText(): string {
    return this.#estimateText;
  }

  /** Schedules an estimate of the draft's cost. Ignores calls while an estimate is scheduled. */
  onDraftChange(clock: Clock, readDraft: () => ComposerDraft): void {
    if (this.#isEstimating) return;
    this.#isEstimating = true;
    clock.after(estimateDelayMs, () => {
      this.#isEstimating = false;
      void this.#showEstimate(readDraft);
    });
  }

  async #showEstimate(readDraft: () => ComposerDraft): Promise<void> {
    if (this.#estimate === undefined) {
      if (readDraft().draft === '') return;
      const { SendEstimate } = await import('./send-estimate.ts');
      this.#estimate ??= new SendEstimate({
        formatTokens,
        formatUsd,
        formatAmount,
      });
    }
    const { chat, draft } = readDraft();
    const text = chat === undefined ? '' : this.#estimate.describeEstimate(chat, draft);
    if (text === this.#estimateText) return;
    this.#estimateText = text;
    this.#onChange();
  }

  /** The context popover above the composer's box, or nothing before the popover is loaded. */
  get contextPopover(): HTMLElement | typeof nothing {
    return this.#contextPopover?.element ?? nothing;
  }

  showContextView(view: ContextViewMessage): void {
    this.#contextPopover?.show(view);
  }

  /** Requests the token counts of the context's parts again if the context popover is open. */
  refreshContext(): void {
    this.#contextPopover?.requestTokenCounts();
  }

  /**
   * Opens the context popover, or closes it.
   * @param getConversationId function that returns the id of the conversation that the page shows
   */
  async toggleContextPopover(getConversationId: () => string): Promise<void> {
    const { ContextPopover } = await import('./context-popover.ts');
    this.#contextPopover ??= new ContextPopover(this.#post, getConversationId);
    this.#onChange();
    this.#contextPopover.toggle();
  }

  show(details: OptionDetails): void {
    this.#popover?.show(details);
  }

  renderButtons({
    options: { webSearch, searchDisabledReason, changed },
  }: ChatState): TemplateResult {
    return html`${webSearch === null ? nothing : this.#renderSearchButton(webSearch, searchDisabledReason)}
      <span class="options-button ${changed ? 'changed' : ''}"
        >${renderIconButton({
          icon: 'settings',
          label: changed ? l10n.t('Options, changed') : l10n.t('Options'),
          onClick: () => void this.#toggleOptionsPopover(),
        })}</span
      >`;
  }

  /**
   * Renders the button that changes the web search mode.
   * @param fixedReason reason why the user cannot change the web search mode; empty if the user can change it
   */
  #renderSearchButton(mode: keyof typeof nextSearchModes, fixedReason: string): TemplateResult {
    return renderIconButton({
      icon: 'globe',
      label: fixedReason === '' ? searchNames[mode] : `${searchNames[mode]}. ${fixedReason}`,
      className: `web-search ${mode}`,
      onClick: () =>
        fixedReason === ''
          ? this.#post({
              type: 'options-action',
              action: 'set',
              name: 'webSearch',
              value: nextSearchModes[mode],
            })
          : this.#showNotice(fixedReason),
    });
  }

  /** Renders the button that shows the mode of the chat and opens the menu of modes. */
  renderModeButton({ mode }: ChatState): TemplateResult {
    const { name, iconName, description } = modes[mode];
    return renderChoiceButton({
      className: 'mode-button',
      label: `${l10n.t('Mode')}: ${name}`,
      title: `${description} (${modeKeyLabel})`,
      iconName,
      text: name,
      openMenu: (opener) =>
        void this.#toggleMenu(opener, {
          label: l10n.t('Mode'),
          value: mode,
          choices: (['ask', 'plan', 'agent'] as const).map((value) => ({
            value,
            label: modes[value].name,
            description: modes[value].description,
          })),
          onChoose: (value) => this.#post({ type: 'mode-select', mode: value }),
        }),
    });
  }

  /**
   * Renders the button of the permission level. Renders nothing in Ask and Plan mode, because the model changes nothing
   * in these modes.
   */
  renderLevelButton({ mode, permissionLevel }: ChatState): TemplateResult | typeof nothing {
    if (mode !== 'agent') return nothing;
    const { label, description } = levels[permissionLevel];
    const text = permissionLevel === 'runCommands' ? l10n.t('Run commands') : label;
    return renderChoiceButton({
      className: 'level-button',
      label: `${l10n.t('Permissions')}: ${text}`,
      title: description,
      iconName: 'shield',
      text,
      openMenu: (opener) =>
        void this.#toggleMenu(opener, {
          label: l10n.t('Permissions'),
          value: permissionLevel,
          choices: (['ask', 'applyEdits', 'runCommands'] as const).map((value) => ({
            value,
            ...levels[value],
          })),
          onChoose: (level) => this.#post({ type: 'permissions-select', level }),
        }),
    });
  }

  async #toggleMenu<Value extends string>(
    opener: HTMLElement,
    content: ChoiceMenuContent<Value>,
  ): Promise<void> {
    const { ChoiceMenu } = await import('./choice-menu.ts');
    this.#menu ??= new ChoiceMenu();
    this.#onChange();
    this.#menu.toggle(opener, content);
  }

  async #toggleOptionsPopover(): Promise<void> {
    const { OptionsPopover } = await import('./options-popover.ts');
    this.#popover ??= new OptionsPopover(this.#post);
    this.#onChange();
    this.#popover.toggle();
  }
}

const estimateDelayMs = 400;

/**
 * Web search mode that a click on the button selects, by the current mode. An empty string removes the chat's own mode,
 * so that the default applies.
 */
const nextSearchModes = { off: 'auto', auto: 'on', on: '' } as const;

const searchNames = {
  off: `${l10n.t('Web search')}: ${l10n.t('Off')}`,
  auto: `${l10n.t('Web search')}: ${l10n.t('When it helps')}`,
  on: `${l10n.t('Web search')}: ${l10n.t('Always')}`,
};

interface ChoiceButton {
  readonly className: string;
  /** Accessible name of the button. */
  readonly label: string;
  readonly title: string;
  readonly iconName: string;
  readonly text: string;
  readonly openMenu: (opener: HTMLElement) => void;
}

const renderChoiceButton = ({
  className,
  label,
  title,
  iconName,
  text,
  openMenu,
}: ChoiceButton): TemplateResult =>
  html`<button
    type="button"
    class="model-button ${className}"
    aria-label=${label}
    aria-haspopup="menu"
    aria-expanded="false"
    title=${title}
    @click=${(event: Event) => event.currentTarget instanceof HTMLElement && openMenu(event.currentTarget)}
  >
    ${renderIcon(iconName)}<span class="model-name">${text}</span>${renderIcon('chevron-down')}
  </button>`;

/**
 * Renders a note with the reason why the model has no tools in Agent mode. Renders nothing for an encrypted chat,
 * because the encryption note already contains the reason.
 */
export const renderToolsOffNote = ({
  mode,
  model,
  toolsOff,
}: ChatState): TemplateResult | typeof nothing =>
  toolsOff === null || mode === 'ask' || model?.encryption !== undefined
    ? nothing
    : html`<p class="note tools-off" title=${toolsOff}>
        ${renderIcon('info')} <span>${toolsOff}</span>
      </p>`;

/** Checks whether a key press is Ctrl+. or Cmd+. without other modifiers. */
export const isModeKey = (event: KeyboardEvent): boolean =>
  event.key === '.' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;

const modes = {
  agent: {
    name: l10n.t('Agent'),
    iconName: 'agent',
    description: l10n.t('Reads, edits and runs'),
  },
  ask: {
    name: l10n.t('Ask'),
    iconName: 'ask',
    description: l10n.t('Reads and answers, changes nothing'),
  },
  plan: {
    name: l10n.t('Plan'),
    iconName: 'list-ordered',
    description: l10n.t('Reads and plans, changes nothing'),
  },
} as const;

const levels = {
  ask: {
    label: l10n.t('Ask before changes'),
    description: l10n.t('Asks before edits and new commands'),
  },
  applyEdits: {
    label: l10n.t('Apply edits'),
    description: l10n.t('Edits land at once and wait for your review'),
  },
  runCommands: {
    label: l10n.t('Apply edits, run allowed commands'),
    description: l10n.t('Runs allowed commands before your review'),
  },
} as const;

const modeKeyLabel = navigator.platform.startsWith('Mac') ? '⌘.' : 'Ctrl+.';

/** Renders the persona that answers in the conversation. If the chat is encrypted, marks the persona as unused. */
export function renderPersonaChip(
  { persona }: VoiceView,
  post: PostMessage,
  isEncrypted: boolean,
): TemplateResult | typeof nothing {
  if (persona === null) return nothing;
  const title = isEncrypted
    ? l10n.t('Personas do not go with encryption: the model itself answers')
    : l10n.t('{0} answers, in the words of the chosen model', persona);
  return html`<ul class="chips" aria-label=${l10n.t('Persona')}>
    <li class="chip" title=${title}>
      ${renderIcon('person')} <span class="chip-label"><bdi>${persona}</bdi></span>
      ${isEncrypted ? html`<span class="chip-tokens not-sent">${l10n.t('Not sent')}</span>` : nothing}
      ${renderIconButton({
        icon: 'close',
        label: l10n.t('Remove {0}', persona),
        onClick: () => post({ type: 'voice-command', command: 'remove-persona' }),
      })}
    </li>
  </ul>`;
}

/** Renders the button that starts dictation into the composer. */
export const renderDictateButton = (
  { listens }: VoiceView,
  post: PostMessage,
): TemplateResult | typeof nothing =>
  listens
    ? renderIconButton({
        icon: 'mic',
        label: l10n.t('Dictate'),
        onClick: () => post({ type: 'voice-command', command: 'dictate' }),
      })
    : nothing;

interface ProtectionButton {
  readonly protection: ProtectionView | undefined;
  readonly tabIndex: number;
  readonly showProtection: () => void;
}

/**
 * Renders a button whose label is the privacy protection of an answer, such as encryption. A click opens the
 * attestation report. This button is always visible, unlike the other buttons below the answer.
 */
export function renderProtectionButton({
  protection,
  tabIndex,
  showProtection,
}: ProtectionButton): TemplateResult | typeof nothing {
  if (protection === undefined) return nothing;
  const { kind, label, detail } = protection;
  return html`<button
    type="button"
    class="protection ${kind}"
    tabindex=${tabIndex}
    title=${detail}
    aria-label="${label}. ${detail}"
    @click=${showProtection}
  >
    ${renderIcon(icons[kind])} ${label}
  </button>`;
}

/**
 * Renders a note that the message will be encrypted. A click on the note opens the attestation of the selected model.
 */
export function renderEncryptionNote(
  encryption: string | undefined,
  showAttestation: () => void,
): TemplateResult | typeof nothing {
  if (encryption === undefined) return nothing;
  return html`<button type="button" class="protection encryption-note" @click=${showAttestation}>
    ${renderIcon(icons.encrypted)} <span>${encryption}</span>
  </button>`;
}

const icons = { encrypted: 'lock', attested: 'verified', none: 'unlock' } as const;

const warningRatio = 0.8;

/**
 * Renders a ring that shows the used fraction of the model's context, and a percentage if the context is nearly full.
 * The ring is empty if the size of the context is unknown. A click shows how much of the context each part uses.
 */
export function renderContextMeter(
  { context }: ChatState,
  showContext: () => void,
): TemplateResult {
  const { usedTokens, limitTokens } = context ?? { usedTokens: 0, limitTokens: 0 };
  const ratio = limitTokens === 0 ? 0 : Math.min(1, usedTokens / limitTokens);
  const percent = Math.round(ratio * 100);
  const text =
    limitTokens === 0
      ? l10n.t('Context')
      : l10n.t(
          'Context: {0} of {1} tokens, {2} %',
          formatTokens(usedTokens),
          formatTokens(limitTokens),
          percent,
        );
  const isNearlyFull = ratio >= warningRatio;
  return html`<button
    type="button"
    class="context-meter ${isNearlyFull ? 'full' : ''}"
    aria-label=${text}
    aria-haspopup="dialog"
    title=${text}
    @click=${showContext}
  >
    ${isNearlyFull ? html`<span aria-hidden="true">${percent} %</span>` : nothing}
    <svg viewBox="0 0 16 16" aria-hidden="true">
      ${svg`<circle class="context-all" cx="8" cy="8" r="6" /><circle
        class="context-used" cx="8" cy="8" r="6" pathLength="100" stroke-dasharray="${percent} 100" />`}
    </svg>
  </button>`;
}

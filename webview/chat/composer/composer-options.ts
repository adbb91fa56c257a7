import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatTokens, formatUsd } from '../../../src/base/amounts.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { OptionDetails } from '../../../src/chat/protocol/composer.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import type { Post } from '../../base/code-api.ts';
import { iconButton } from '../../base/controls.ts';
import type { SendEstimate } from './send-estimate.ts';
import type { OptionsPopover } from './options-popover.ts';

interface Draft {
  readonly chat: ChatState | undefined;
  readonly draft: string;
}

interface ComposerOptionsPorts {
  readonly post: Post;
  /** Draws the composer again. */
  readonly changed: () => void;
  readonly notice: (text: string) => void;
}

/** The composer's buttons for the conversation's options; what they open is loaded with the first press. */
export class ComposerOptions {
  readonly #post: Post;
  readonly #changed: () => void;
  readonly #notice: (text: string) => void;
  #popover: OptionsPopover | undefined;
  #estimate: SendEstimate | undefined;
  /** An estimate is on its way. */
  #estimating = false;

  constructor({ post, changed, notice }: ComposerOptionsPorts) {
    this.#post = post;
    this.#changed = changed;
    this.#notice = notice;
  }

  /** Stands above the composer's box once it was opened. */
  get popover(): HTMLElement | typeof nothing {
    return this.#popover?.element ?? nothing;
  }

  get estimate(): HTMLElement | typeof nothing {
    return this.#estimate?.element ?? nothing;
  }

  /** Estimates what the draft will cost, a moment after it changed. */
  draftChanged(clock: Clock, read: () => Draft): void {
    if (this.#estimating) return;
    this.#estimating = true;
    clock.after(estimateDelayMs, () => {
      this.#estimating = false;
      void this.#showEstimate(read);
    });
  }

  async #showEstimate(read: () => Draft): Promise<void> {
    if (this.#estimate === undefined) {
      if (read().draft === '') return;
      const { SendEstimate } = await import('./send-estimate.ts');
      this.#estimate ??= new SendEstimate({ tokens: formatTokens, usd: formatUsd });
      this.#changed();
    }
    const { chat, draft } = read();
    if (chat !== undefined) this.#estimate.update(chat, draft);
  }

  show(details: OptionDetails): void {
    this.#popover?.show(details);
  }

  buttons({ options: { webSearch, searchFixed, changed } }: ChatState): TemplateResult {
    return html`${webSearch === null ? nothing : this.#searchButton(webSearch, searchFixed)}
      <span class="options-button ${changed ? 'changed' : ''}"
        >${iconButton({
          icon: 'settings',
          label: changed ? l10n.t('Options, changed') : l10n.t('Options'),
          run: () => void this.#toggle(),
        })}</span
      >`;
  }

  /** @param fixed Why a press changes nothing; empty where it does. */
  #searchButton(now: keyof typeof nextSearch, fixed: string): TemplateResult {
    return iconButton({
      icon: 'globe',
      label: fixed === '' ? searchNames[now] : `${searchNames[now]}. ${fixed}`,
      className: `web-search ${now}`,
      run: () =>
        fixed === ''
          ? this.#post({
              type: 'options-act',
              action: 'set',
              name: 'webSearch',
              value: nextSearch[now],
            })
          : this.#notice(fixed),
    });
  }

  async #toggle(): Promise<void> {
    const { OptionsPopover } = await import('./options-popover.ts');
    this.#popover ??= new OptionsPopover(this.#post);
    this.#changed();
    this.#popover.toggle();
  }
}

const estimateDelayMs = 400;

/** A press goes round. */
const nextSearch = { off: 'auto', auto: 'on', on: '' } as const;

const searchNames = {
  off: l10n.t('Web search: off'),
  auto: l10n.t('Web search: when it helps'),
  on: l10n.t('Web search: always'),
};

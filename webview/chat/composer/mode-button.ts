import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChatState, Mode } from '../../../src/chat/protocol/view-state.ts';
import type { Post } from '../../base/code-api.ts';
import { icon } from '../../base/controls.ts';

/** Shows the mode; a press changes it to the other one. */
export function modeButton({ mode }: ChatState, post: Post): TemplateResult {
  const { name, iconName, does } = modes[mode];
  const other = modes[otherMode(mode)].name;
  return html`<button
    type="button"
    class="model-button mode-button"
    aria-label=${l10n.t('Mode: {0}', name)}
    title=${l10n.t('{0}: {1}. {2} changes to {3}', name, does, key, other)}
    @click=${() => post({ type: 'mode-select', mode: otherMode(mode) })}
  >
    ${icon(iconName)}<span class="mode-name">${name}</span>
  </button>`;
}

/** Why an agent without tools can only talk; the note of encryption says it with all else that is left out. */
export const toolsOffNote = ({
  mode,
  model,
  toolsOff,
}: ChatState): TemplateResult | typeof nothing =>
  toolsOff === null || mode === 'ask' || model?.encryption !== undefined
    ? nothing
    : html`<p class="note tools-off" title=${toolsOff}>
        ${icon('info')} <span>${toolsOff}</span>
      </p>`;

export const otherMode = (mode: Mode): Mode => (mode === 'agent' ? 'ask' : 'agent');

/** Ctrl+. or Cmd+. alone. */
export const isModeKey = (event: KeyboardEvent): boolean =>
  event.key === '.' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;

const modes = {
  agent: { name: l10n.t('Agent'), iconName: 'agent', does: l10n.t('reads, edits and runs') },
  ask: { name: l10n.t('Ask'), iconName: 'ask', does: l10n.t('reads and answers, changes nothing') },
} as const;

const key = navigator.platform.startsWith('Mac') ? '⌘.' : 'Ctrl+.';

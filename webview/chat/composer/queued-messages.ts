import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import { icon, iconButton } from '../../base/controls.ts';
import type { Post } from '../store.ts';

/** Renders the messages that wait for the end of the turn, each with its actions. */
export function queuedMessages(
  { queued, streaming }: Pick<ChatState, 'queued' | 'streaming'>,
  post: Post,
): TemplateResult | typeof nothing {
  if (queued.length === 0) return nothing;
  return html`<ul class="queued" aria-label=${l10n.t('Queued messages')}>
    ${queued.map(({ id, text, isUrgent }) => {
      const act = (action: 'edit' | 'remove' | 'send-now') => () =>
        post({ type: 'queue-act', id, action });
      return html`<li class="chip queued-message" title=${text}>
        ${icon(isUrgent ? 'debug-step-over' : 'watch')}
        <span class="chip-label"><bdi>${text}</bdi></span>
        ${iconButton({ icon: 'edit', label: l10n.t('Edit'), run: act('edit') })}
        ${
          isUrgent && streaming !== null
            ? nothing
            : iconButton({ icon: 'arrow-up', label: l10n.t('Send now'), run: act('send-now') })
        }
        ${iconButton({ icon: 'close', label: l10n.t('Remove {0}', text), run: act('remove') })}
      </li>`;
    })}
  </ul>`;
}

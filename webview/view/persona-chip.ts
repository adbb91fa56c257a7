import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { VoiceView } from '../../src/protocol/chat/voice.ts';
import type { Post } from '../host.ts';
import { icon, iconButton } from './controls.ts';

/** Who answers in this conversation, when it is a persona. */
export function personaChip({ persona }: VoiceView, post: Post): TemplateResult | typeof nothing {
  if (persona === null) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t('Persona')}>
    <li class="chip" title=${l10n.t('{0} answers, in the words of the chosen model', persona)}>
      ${icon('person')} <span class="chip-label"><bdi>${persona}</bdi></span>
      ${iconButton({
        icon: 'close',
        label: l10n.t('Chat without {0}', persona),
        run: () => post({ type: 'voice-ask', ask: 'remove-persona' }),
      })}
    </li>
  </ul>`;
}

/** Speaks into the composer. */
export const dictateButton = (
  { listens }: VoiceView,
  post: Post,
): TemplateResult | typeof nothing =>
  listens
    ? iconButton({
        icon: 'mic',
        label: l10n.t('Dictate'),
        run: () => post({ type: 'voice-ask', ask: 'dictate' }),
      })
    : nothing;

import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { VoiceView } from '../../../src/speech/protocol.ts';
import type { Post } from '../../base/code-api.ts';
import { icon, iconButton } from '../../base/controls.ts';

/** Who answers in this conversation, when it is a persona; one that is `sealed` out by encryption does not. */
export function personaChip(
  { persona }: VoiceView,
  post: Post,
  sealed: boolean,
): TemplateResult | typeof nothing {
  if (persona === null) return nothing;
  const title = sealed
    ? l10n.t('Personas do not go with encryption: the model itself answers')
    : l10n.t('{0} answers, in the words of the chosen model', persona);
  return html`<ul class="chips" aria-label=${l10n.t('Persona')}>
    <li class="chip" title=${title}>
      ${icon('person')} <span class="chip-label"><bdi>${persona}</bdi></span>
      ${sealed ? html`<span class="chip-tokens not-sent">${l10n.t('Does not answer')}</span>` : nothing}
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

import { html, nothing, type TemplateResult } from 'lit';
import type { ProtectionView } from '../../../src/privacy/protocol.ts';
import { icon } from '../../base/controls.ts';

interface ProtectionButton {
  readonly protection: ProtectionView | undefined;
  readonly tabIndex: number;
  readonly show: () => void;
}

/** What protected an answer; a press shows the attestation that it rests on. Always in sight, unlike the rest of its row. */
export function protectionButton({
  protection,
  tabIndex,
  show,
}: ProtectionButton): TemplateResult | typeof nothing {
  if (protection === undefined) return nothing;
  const { kind, label, detail } = protection;
  return html`<button
    type="button"
    class="protection ${kind}"
    tabindex=${tabIndex}
    title=${detail}
    aria-label="${label}. ${detail}"
    @click=${show}
  >
    ${icon(icons[kind])} ${label}
  </button>`;
}

/** Says before anything is sent that it will be encrypted; a press shows the attestation of the chosen model. */
export function encryptionNote(
  encryption: string | undefined,
  show: () => void,
): TemplateResult | typeof nothing {
  if (encryption === undefined) return nothing;
  return html`<button type="button" class="protection encryption-note" @click=${show}>
    ${icon(icons.encrypted)} <span>${encryption}</span>
  </button>`;
}

const icons = { encrypted: 'lock', attested: 'verified', none: 'unlock' } as const;

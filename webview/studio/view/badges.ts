import { html, nothing, type TemplateResult } from 'lit';
import type { ImageView } from '../../../src/image/studio/protocol/state.ts';
import { icon } from '../../base/controls.ts';
import { words } from '../messages.ts';

/** What to know of a picture at a glance. */
export function badges(image: ImageView): TemplateResult | typeof nothing {
  const { blurred, contentViolation, moderationText, file } = image;
  if (!blurred && !contentViolation && file !== 'missing') return nothing;
  return html`<span class="badges">
    ${contentViolation ? badge('circle-slash', words.violation, moderationText) : nothing}
    ${blurred && !contentViolation ? badge('eye-closed', words.blurred, moderationText) : nothing}
    ${file === 'missing' ? badge('warning', words.missing, words.missingHint) : nothing}
  </span>`;
}

const badge = (name: string, label: string, why: string): TemplateResult =>
  html`<span class="badge" title=${why}>${icon(name)} ${label}</span>`;

/** The same as words, with the reason: a picture's name for who does not see it. */
export function describe(image: ImageView): string {
  const { prompt, model, blurred, contentViolation, moderationText, file } = image;
  return [
    prompt,
    model,
    contentViolation ? words.violation : '',
    blurred && !contentViolation ? words.blurred : '',
    blurred || contentViolation ? moderationText : '',
    file === 'missing' ? words.missing : '',
  ]
    .filter(Boolean)
    .map((part) => part.replace(/[.\s]+$/u, ''))
    .join('. ');
}

import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import { icon, textButton } from '../../base/controls.ts';

type Pictured = Pick<ChatState, 'attachments' | 'model'>;

/** Why the model cannot take the pictures in the composer; empty when it can, or nobody knows. */
export function pictureProblem({ attachments, model }: Pictured): string {
  const count = countOf(attachments);
  if (count === 0 || model === null || model.pictures === null) return '';
  if (model.pictures === 0) return l10n.t('{0} cannot see pictures.', model.name);
  if (model.pictures === 1 || count <= model.pictures) return '';
  return l10n.t('{0} sees at most {1} pictures of a message.', model.name, model.pictures);
}

/** The problem with the way out of it, or what else is to be known of the pictures. */
export function pictureNote(
  chat: Pictured,
  chooseModel: () => void,
): TemplateResult | typeof nothing {
  const problem = pictureProblem(chat);
  if (problem !== '') {
    return html`<div class="note length-note" role="alert">
      ${icon('warning')} <span>${problem}</span>
      ${textButton({ label: l10n.t('Choose a model'), run: chooseModel })}
    </div>`;
  }
  if (chat.model?.pictures !== 1 || countOf(chat.attachments) < 2) return nothing;
  const note = l10n.t('{0} may look at the last picture only.', chat.model.name);
  return html`<p class="note length-note">${icon('info')} <span>${note}</span></p>`;
}

const countOf = (attachments: ChatState['attachments']): number =>
  attachments.filter(({ kind }) => kind === 'image').length;

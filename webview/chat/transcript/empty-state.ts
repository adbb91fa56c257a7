import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { AccountView, ChatState } from '../../../src/chat/protocol/view-state.ts';
import type { Post } from '../../base/code-api.ts';
import { icon, textButton } from '../../base/controls.ts';

/** What stands where no message is yet: one sentence and the next step. */
export function emptyState(
  { account, suggestions }: ChatState,
  post: Post,
  suggest: (text: string) => void,
): TemplateResult {
  if (account.status === 'signed-out') {
    return html`<div class="empty">
      <p>${l10n.t('Connect to your inference service to start a chat.')}</p>
      ${accountActions(account, post)}
    </div>`;
  }
  return html`<div class="empty">
    <p>${l10n.t('Ask a question, or attach code and say what to do with it.')}</p>
    ${suggestions.length === 0 ? nothing : suggestionList(suggestions, suggest)}
  </div>`;
}

/** A line above the composer while the account keeps a started chat from going on. */
export function accountLine(
  { account, messages }: ChatState,
  post: Post,
): TemplateResult | typeof nothing {
  const attention = account.status === 'needs-attention';
  if (account.status === 'signed-in' || (!attention && messages.length === 0)) return nothing;
  // The card of the answer that failed says the same, with the same ways on.
  if (messages.at(-1)?.failure) return nothing;
  return html`<div class="account-line" role="group" aria-label=${l10n.t('Account')}>
    ${icon(attention ? 'warning' : 'key')}
    <span>${account.message ?? l10n.t('Connect to your inference service to go on.')}</span>
    ${accountActions(account, post)}
  </div>`;
}

const accountActions = ({ actions }: AccountView, post: Post): TemplateResult =>
  html`<div class="sign-in">
    ${actions.map(({ action, label }, index) =>
      textButton({
        label,
        primary: index === 0,
        run: () => post({ type: 'action-run', messageId: null, action }),
      }),
    )}
  </div>`;

const suggestionList = (
  suggestions: readonly string[],
  suggest: (text: string) => void,
): TemplateResult =>
  html`<ul class="suggestions" aria-label=${l10n.t('Suggestions')}>
    ${suggestions.map(
      (text) =>
        html`<li>
          <button type="button" class="suggestion" dir="auto" @click=${() => suggest(text)}>
            ${text}
          </button>
        </li>`,
    )}
  </ul>`;

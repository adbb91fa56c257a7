import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/base/amounts.ts';
import { maxPromptLength } from '../../../src/chat/protocol/page-message.ts';
import { icon } from '../../base/controls.ts';

/** What to tell about a text that cannot be sent because of its length, empty when it can. */
export const lengthProblem = ({ length }: string): string =>
  length <= maxPromptLength
    ? ''
    : l10n.t(
        'Too long to send: {0} of at most {1} characters. Shorten it, or attach a file instead.',
        formatCount(length),
        formatCount(maxPromptLength),
      );

/** The same below a textbox, which keeps the text. */
export function lengthNote(text: string): TemplateResult | typeof nothing {
  const problem = lengthProblem(text);
  if (problem === '') return nothing;
  return html`<p class="note length-note" role="alert">${icon('warning')} ${problem}</p>`;
}

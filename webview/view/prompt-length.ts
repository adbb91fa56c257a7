import { html, nothing, type TemplateResult } from 'lit';
import { maxPromptLength } from '../../src/protocol/webview-message.ts';
import { icon } from './controls.ts';

const format = new Intl.NumberFormat('en');

/** What to tell about a text that cannot be sent because of its length, empty when it can. */
export const lengthProblem = ({ length }: string): string =>
  length <= maxPromptLength
    ? ''
    : `Too long to send: ${format.format(length)} of at most ${format.format(maxPromptLength)} characters. Shorten it, or attach a file instead.`;

/** The same below a textbox, which keeps the text. */
export function lengthNote(text: string): TemplateResult | typeof nothing {
  const problem = lengthProblem(text);
  if (problem === '') return nothing;
  return html`<p class="note length-note" role="alert">${icon('warning')} ${problem}</p>`;
}

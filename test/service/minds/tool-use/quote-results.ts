import { parseJson } from '../../../../src/base/json.ts';
import type { Outcome } from './outcome.ts';

const shownLines = 20;

/** What the tools gave back, in Markdown; long results by their first lines. */
export function quoteResults(outcomes: readonly Pick<Outcome, 'name' | 'text'>[]): string {
  return outcomes
    .map(({ name, text }) => {
      const lines = text.trimEnd().split('\n');
      const amount = lines.length === 1 ? 'one line' : `${lines.length} lines`;
      const shown = lines.slice(0, shownLines).join('\n');
      const language = parseJson(text) === undefined ? 'text' : 'json';
      const fence = fenceFor(shown);
      return `\`${name}\` returned ${amount}:\n\n${fence}${language}\n${shown}\n${fence}`;
    })
    .join('\n\n');
}

/** Longer than any in the text. */
const fenceFor = (text: string): string =>
  '`'.repeat((text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2) + 1);

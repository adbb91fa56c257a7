import { nanoText } from '../base/nano-amount.ts';
import type { UsageRecord } from './usage.ts';

/** One line for each request (RFC 4180). Names come from the service: none of them is read as a formula, or ends its cell, in a spreadsheet of any country. */
export function usageCsv(records: readonly UsageRecord[]): string {
  const lines = records.map(({ day, feature, model, promptTokens, completionTokens, spent }) =>
    [day, cell(feature), cell(model), promptTokens, completionTokens, nanoText(spent)].join(','),
  );
  return [header, ...lines, ''].join('\r\n');
}

const header = 'day,feature,model,prompt_tokens,completion_tokens,usd';

/** Spreadsheets run what begins like a formula, and some take `;` for the end of a cell: neither is left. */
const cell = (text: string): string =>
  text.replaceAll(/[^\w.:/ -]/gu, '_').replace(/^[\s-]+/u, (start) => '_'.repeat(start.length));

import { nanoText } from '../base/nano-amount.ts';
import type { UsageRecord } from './usage-record.ts';

/** One line for each request (RFC 4180). Names come from the service: none of them is read as a formula. */
export function usageCsv(records: readonly UsageRecord[]): string {
  const lines = records.map(({ day, feature, model, promptTokens, completionTokens, spent }) =>
    [day, cell(feature), cell(model), promptTokens, completionTokens, nanoText(spent)].join(','),
  );
  return [header, ...lines, ''].join('\r\n');
}

const header = 'day,feature,model,prompt_tokens,completion_tokens,usd';

/** Spreadsheets run what begins with one of these. */
const formula = /^[=+\-@\t\r]/u;

function cell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

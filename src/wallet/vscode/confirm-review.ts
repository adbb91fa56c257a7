import * as vscode from 'vscode';
import type { Review } from '../signer.ts';
import { ask } from '../../platform/notifications.ts';

/** Shows all that is about to be signed, sent or paid, in a dialog; false when the person does not want it. */
export async function confirmReview(review: Review, button: string): Promise<boolean> {
  const rows = review.rows.map(({ name, value }) => vscode.l10n.t('{0}: {1}', name, value));
  const warnings = review.warnings.map((warning) => `⚠ ${warning}`);
  const detail = [...rows, ...(warnings.length > 0 ? [''] : []), ...warnings].join('\n');
  return (await ask({ question: review.purpose, detail }, button)) === button;
}

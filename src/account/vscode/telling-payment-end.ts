import * as vscode from 'vscode';
import { tellInformation } from '../../platform/notifications.ts';
import { paysPerRequest } from './payment-choice.ts';

/** Keeps a key with `store`, and says so when the wallet stopped paying for requests by that. */
export async function tellingPaymentEnd<T>(store: () => Promise<T>): Promise<T> {
  const paid = paysPerRequest();
  const result = await store();
  if (paid && !paysPerRequest()) {
    void tellInformation(
      vscode.l10n.t('Requests use the API key now, and are not paid with the wallet any more.'),
    );
  }
  return result;
}

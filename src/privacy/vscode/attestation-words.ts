import * as vscode from 'vscode';
import type { Attestation, CheckName } from '../../service/privacy/verify-attestation.ts';

/** What a check shows when it passed. */
export const checkWords = (): Readonly<Record<CheckName, string>> => ({
  quote: vscode.l10n.t('The hardware gave a quote of a confidential machine'),
  model: vscode.l10n.t('The quote is about this model'),
  nonce: vscode.l10n.t('The quote was made for this question, just now'),
  'key-bound': vscode.l10n.t('The quote names the enclave’s key'),
  debug: vscode.l10n.t('Nobody can look into the machine by debugging it'),
  signature: vscode.l10n.t('The quote is signed and unchanged'),
  hardware: vscode.l10n.t('Genuine hardware signed it: the certificates lead to Intel’s root'),
  key: vscode.l10n.t('The enclave’s key can be encrypted to'),
  'gpu-nonce': vscode.l10n.t('What the GPU says, if it says something, is of this question, too'),
});

/** What is wrong, one sentence each. */
export const attestationProblems = ({ checks }: Attestation): string[] =>
  checks.filter(({ passed }) => !passed).map(({ name }) => problemWords()[name]);

const problemWords = (): Readonly<Record<CheckName, string>> => ({
  quote: vscode.l10n.t('It gave no quote of a confidential machine.'),
  model: vscode.l10n.t('Its quote is about another model.'),
  nonce: vscode.l10n.t('Its quote was made for another question, maybe long ago.'),
  'key-bound': vscode.l10n.t('Its key is not the one in the quote.'),
  debug: vscode.l10n.t('Its machine can be looked into by debugging.'),
  signature: vscode.l10n.t('Its quote was changed.'),
  hardware: vscode.l10n.t('It is not shown to be genuine hardware.'),
  key: vscode.l10n.t('Its key cannot be encrypted to.'),
  'gpu-nonce': vscode.l10n.t('The evidence of its GPU is of another question.'),
});

/** What no check on this machine can show. */
export const uncheckedWords = (): readonly string[] => [
  vscode.l10n.t(
    'Whether a certificate of the hardware was revoked, and whether it has all updates',
  ),
  vscode.l10n.t('Whether the software that was measured is the one that the service publishes'),
  vscode.l10n.t('The evidence of the GPU beyond its nonce'),
  vscode.l10n.t(
    'That the enclave itself wrote an answer: whoever passes the messages on could write one to the same key',
  ),
];

import * as vscode from 'vscode';
import type { Attestation } from '../../service/privacy/verify-attestation.ts';
import { checkWords, uncheckedWords } from './attestation-words.ts';

/** An attestation as plain text: the verdict, each check, what is not checked, and all that the service answered. */
export function attestationText(attestation: Attestation, name: string): string {
  const { checks, provider, publicKey, measurements = {}, evidence, checkedAt } = attestation;
  const words = checkWords();
  const facts = [
    vscode.l10n.t('Checked: {0}', new Date(checkedAt).toLocaleString(vscode.env.language)),
    ...(provider === undefined ? [] : [vscode.l10n.t('Provider: {0}', provider)]),
    ...(publicKey === undefined ? [] : [vscode.l10n.t('Key: {0}', publicKey)]),
  ];
  const parts = [
    vscode.l10n.t('Attestation of {0}', name),
    verdictWords(attestation),
    facts.join('\n'),
    section(
      vscode.l10n.t('Checks'),
      checks.map((check) => checkLine(check, words[check.name])),
    ),
    section(
      vscode.l10n.t('Not checked'),
      uncheckedWords().map((text) => `· ${text}`),
    ),
    section(
      vscode.l10n.t('Measurements'),
      Object.entries(measurements).map(([register, value]) => `${register} ${value}`),
    ),
    section(vscode.l10n.t('What the service answered'), [evidence]),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const verdictWords = ({ verdict }: Attestation): string =>
  verdict === 'verified'
    ? vscode.l10n.t('Verified: every check passed.')
    : vscode.l10n.t('Failed: do not rely on this enclave.');

function checkLine({ passed, detail }: Attestation['checks'][number], words: string): string {
  const line = `${passed ? '✓' : '✗'} ${words}`;
  return detail === '' ? line : `${line}\n    ${detail}`;
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n\n${lines.join('\n')}`;

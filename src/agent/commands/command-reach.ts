import * as l10n from '@vscode/l10n';
import { looksSecret } from '../../workspace/secret-file.ts';
import { sensitiveReason } from '../../workspace/sensitive-files.ts';
import type { Reason } from '../../workspace/verdict.ts';

/** Why a word of a command, by its text, leads out of the workspace, to a secret or to another machine. */
export function reachReason(word: string): Reason | undefined {
  if (/:\/\/|^[\w.-]+@[\w.-]+:/u.test(word)) return reasons.network();
  const parts = word.split(/[=:,@]/u);
  const places = [word, ...parts].filter((part) => !harmless.has(part));
  if (drives.test(word) || places.some(leadsOut)) return reasons.outside();
  if (places.some((part) => looksSecret(part.replaceAll('\\', '/')))) return reasons.secret();
  return undefined;
}

/** Why a word names what something runs or is steered by, also behind `=` or `:`: for programs that may write. */
export function steersReason(word: string): Reason | undefined {
  return [word, ...word.split(/[=:,@]/u)]
    .map(sensitiveReason)
    .find((reason) => reason !== undefined);
}

const harmless: ReadonlySet<string> = new Set(['/dev/null', '-', '']);

const reasons = {
  network: () => ({ code: 'network', text: l10n.t('It names another machine.') }),
  outside: () => ({
    code: 'outside-workspace',
    text: l10n.t('It names a place outside the workspace.'),
  }),
  secret: () => ({
    code: 'secret-file',
    text: l10n.t('It names a file that may hold keys or passwords.'),
  }),
} satisfies Record<string, () => Reason>;

/** From the root, the home folder or a drive, or upwards; a path may also be glued to a short option. */
function leadsOut(part: string): boolean {
  const path = part.replace(/^-[A-Za-z]/u, '');
  return (
    /^[/\\~]/u.test(path) ||
    /^[A-Za-z]:(?:[/\\]|$)/u.test(part) ||
    path.split(/[/\\]/u).includes('..')
  );
}

/** What PowerShell shows as folders although it is none. */
const drives = /^(?:env|function|variable|alias|cert|hk[a-z]{2}|registry|wsman):/iu;

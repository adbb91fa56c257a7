import * as l10n from '@vscode/l10n';
import { redact } from '../../base/redact.ts';
import type { Verdict } from '../../workspace/verdict.ts';

/** Longer ones are for the person to read, not for rules to judge. In characters. */
export const maxJudgedLength = 10_000;

/** Judges a command by its letters alone: what a terminal would act on, and what the person could not see. */
export function judgeCommandText(text: string): readonly Verdict[] {
  return checks.filter(({ finds }) => finds(text)).map(({ verdict }) => verdict());
}

interface Check {
  readonly finds: (text: string) => boolean;
  readonly verdict: () => Verdict;
}

const asks = (code: string, text: string): Verdict => ({
  decision: 'ask',
  reasons: [{ code, text }],
  rememberable: false,
});
const refuses = (code: string, text: string): Verdict => ({
  ...asks(code, text),
  decision: 'refuse',
});

const checks: readonly Check[] = [
  {
    // A terminal takes a carriage return for the Enter key; a parser takes it for a blank.
    finds: (text) => /(?![\n\t])[\p{Cc}\u2028\u2029]/u.test(text) || !text.isWellFormed(),
    verdict: () =>
      refuses(
        'control-characters',
        l10n.t(
          'The command has control characters, such as carriage returns or escapes. Write it without them.',
        ),
      ),
  },
  {
    finds: (text) =>
      /(?! )[\p{Cf}\p{Zs}\p{Co}\p{Cn}]|[\p{Variation_Selector}\u034f\u115f\u1160\u2800\u3164\uffa0]/u.test(
        text,
      ),
    verdict: () => asks('hidden-characters', l10n.t('It has characters that cannot be seen.')),
  },
  {
    finds: (text) => /[ \t]{9}|\n(?:[ \t]*\n){4}/u.test(text),
    verdict: () => asks('padding', l10n.t('Long gaps could push a part of it out of sight.')),
  },
  {
    finds: looksLikeSecret,
    verdict: () => asks('secret', l10n.t('It seems to hold a password or a key.')),
  },
  {
    finds: (text) => text.length > maxJudgedLength,
    verdict: () => asks('too-long', l10n.t('It is too long to be checked.')),
  },
];

/** Bounded repeats only: a hostile command costs no more than a long one. */
const secrets: readonly RegExp[] = [
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|credential)s?["']?[=:]["']?[^\s"']/iu,
  /--?(?:password|passphrase|token|secret|api-key|access-key)[ =]/iu,
  /\b(?:sk|pk|rk|gh[pousr]|glpat|xox[abposr]|npm|pypi|hf|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16}/u,
  /\b[0-9a-f]{32}\b/iu,
  /:\/\/[^\s/@:]{1,200}:[^\s/@]{1,200}@/u,
];

function looksLikeSecret(text: string): boolean {
  return secrets.some((pattern) => pattern.test(text)) || redact(text) !== text;
}

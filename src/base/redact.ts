/**
 * Minimum length of a secret in characters. Shorter values are not redacted, because they are placeholders or occur in
 * ordinary words.
 */
const minSecretLength = 8;

/** Text that {@link redact} inserts in place of a secret. */
export const redactionMark = '[redacted]';

// Each pattern starts with rare text and limits its repetitions, so that the running time is linear even for hostile
// text.
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s{1,8})[\x21-\x7e]{6,}/gi, `$1$2${redactionMark}`],
  [/\b((?:x-)?sign-in-with-x["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redactionMark}`],
  [/\b(payment-signature["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redactionMark}`],
  [/(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g, redactionMark],
  [/\b0x[0-9a-f]{64,}\b/gi, redactionMark],
  [/\b[A-Z][A-Z0-9]*_(?:INFERENCE|ADMIN)_KEY_[\w-]+/g, redactionMark],
];

/**
 * Number of characters after `maxLength` that are also searched for secrets. Without them, a secret that extends beyond
 * `maxLength` would not be recognized, and the truncated text would end with a part of the secret.
 */
const lookaheadLength = 4_096;

/**
 * Removes secrets from `text` and truncates the text to `maxLength` characters. Replaces every value of `secrets`, and
 * all text that looks like a credential, a signed token, a private key or a signature.
 */
export function redact(
  text: string,
  secrets: readonly string[] = [],
  maxLength = Number.POSITIVE_INFINITY,
): string {
  // The longest value comes first, because a shorter secret may be part of a longer secret.
  const sortedSecrets = secrets
    .filter(({ length }) => length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length);
  const textWithoutSecrets = sortedSecrets.reduce(
    (redactedText, secret) => redactedText.replaceAll(secret, redactionMark),
    text,
  );
  return secretPatterns
    .reduce(
      (redactedText, [pattern, replacement]) => redactedText.replace(pattern, replacement),
      textWithoutSecrets.slice(0, maxLength + lookaheadLength),
    )
    .slice(0, maxLength);
}

/** Minimum length of a secret in characters. A shorter value is a placeholder, and part of many words. */
const minSecretLength = 8;

/** Text that replaces a secret. */
export const redacted = '[redacted]';

// Each pattern starts with a rare match and limits its repetitions, so the cost is linear even for
// hostile text.
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s{1,8})[\x21-\x7e]{6,}/gi, `$1$2${redacted}`],
  [/\b((?:x-)?sign-in-with-x["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redacted}`],
  [/\b(payment-signature["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redacted}`],
  [/(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g, redacted],
  [/\b0x[0-9a-f]{64,}\b/gi, redacted],
  [/\b[A-Z][A-Z0-9]*_(?:INFERENCE|ADMIN)_KEY_[\w-]+/g, redacted],
];

/**
 * Number of characters examined after `maxLength`. Without them, the truncated text could end with
 * the start of a secret.
 */
const extraLength = 4_096;

/**
 * Removes secrets from `text` and truncates it to `maxLength` characters. Replaces every value of `secrets`, and anything
 * that looks like a credential, a signed token, a private key or a signature.
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
  const withoutSecrets = sortedSecrets.reduce(
    (redactedText, secret) => redactedText.replaceAll(secret, redacted),
    text,
  );
  return patterns
    .reduce(
      (redactedText, [pattern, replacement]) => redactedText.replace(pattern, replacement),
      withoutSecrets.slice(0, maxLength + extraLength),
    )
    .slice(0, maxLength);
}

/** What stands in place of a secret. */
export const redacted = '[redacted]';

// Each pattern begins where few places match and repeats within bounds: a hostile text costs no more than a long one.
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s{1,8})[\x21-\x7e]{6,}/gi, `$1$2${redacted}`],
  [/\b((?:x-)?sign-in-with-x["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redacted}`],
  [/\b(payment-signature["']?\s{0,8}[:=]\s{0,8}["']?)[\w+/=.-]+/gi, `$1${redacted}`],
  [/(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g, redacted],
  [/\b0x[0-9a-f]{64,}\b/gi, redacted],
  [/\b[A-Z][A-Z0-9]*_(?:INFERENCE|ADMIN)_KEY_[\w-]+/g, redacted],
];

/** So much more than asked for is looked at, that what is cut off cannot be the end of something secret. */
const margin = 4_096;

/**
 * `text` without secrets, at most `maxLength` characters of it: every value of `secrets` wherever it stands, and
 * whatever looks like a credential, a signed token, a private key or a signature.
 */
export function redact(
  text: string,
  secrets: readonly string[] = [],
  maxLength = Number.POSITIVE_INFINITY,
): string {
  // The longest first: a shorter one may be a part of it.
  const known = secrets.filter(Boolean).toSorted((a, b) => b.length - a.length);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  return patterns
    .reduce(
      (rest, [pattern, by]) => rest.replace(pattern, by),
      withoutKnown.slice(0, maxLength + margin),
    )
    .slice(0, maxLength);
}

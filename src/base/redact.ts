/** What stands in place of a secret. */
export const redacted = '[redacted]';

const patterns: readonly RegExp[] = [
  /(?<=\b(?:bearer|basic)\s+)[\x21-\x7e]{6,}/gi,
  /(?<=\b(?:x-)?sign-in-with-x["']?\s*[:=]\s*["']?)[\w+/=.-]+/gi,
  /(?<=\bpayment-signature["']?\s*[:=]\s*["']?)[\w+/=.-]+/gi,
  /\beyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g,
  /\b0x[0-9a-f]{64,}\b/gi,
  /\b[A-Z][A-Z0-9]*_(?:INFERENCE|ADMIN)_KEY_[\w-]+/g,
];

/**
 * `text` without secrets: every value of `secrets` wherever it stands, and whatever looks like a credential,
 * a signed token, a private key or a signature.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length > 0);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  return patterns.reduce((rest, pattern) => rest.replace(pattern, redacted), withoutKnown);
}

/** A rough count of tokens: close to 4 characters of English or code each, more tokens for other scripts. */
export function estimateTokens(text: string): number {
  const wide = wideRatio(text, 4_096);
  return Math.ceil(text.length * ((1 - wide) / 4 + wide / 1.5));
}

/**
 * The ratio of characters beyond Latin letters, from 0 to 1. Looks at about `samples` of them, at most twice as many, so
 * that a huge text costs no more than a long one.
 */
export function wideRatio(text: string, samples: number): number {
  // Odd, or else a text that alternates would be taken for half of it.
  const step = Math.floor(text.length / samples) | 1;
  let [seen, wide] = [0, 0];
  for (let at = 0; at < text.length; at += step) {
    seen += 1;
    if (text.charCodeAt(at) > 0x2ff) wide += 1;
  }
  return seen === 0 ? 0 : wide / seen;
}

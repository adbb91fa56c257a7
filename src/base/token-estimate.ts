/** A rough count of tokens: close to 4 characters of English or code each, more tokens for other scripts. */
export function estimateTokens(text: string): number {
  let wide = 0;
  // Sampling keeps the cost of a large file constant.
  const step = Math.max(1, Math.floor(text.length / 4_096));
  let seen = 0;
  for (let i = 0; i < text.length; i += step) {
    seen += 1;
    if (text.charCodeAt(i) > 0x2ff) wide += 1;
  }
  const wideShare = seen === 0 ? 0 : wide / seen;
  return Math.ceil(text.length * ((1 - wideShare) / 4 + wideShare / 1.5));
}

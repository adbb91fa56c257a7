/**
 * Estimates the number of tokens in a text: about 4 characters per token for English or code, and fewer characters per
 * token for other scripts.
 */
export function estimateTokens(text: string): number {
  let wideCharacterCount = 0;
  // At most 4,096 positions are sampled, so that the cost of a large text is bounded.
  const step = Math.max(1, Math.floor(text.length / 4_096));
  let sampleCount = 0;
  for (let i = 0; i < text.length; i += step) {
    sampleCount += 1;
    if (text.charCodeAt(i) > 0x2ff) wideCharacterCount += 1;
  }
  const wideRatio = sampleCount === 0 ? 0 : wideCharacterCount / sampleCount;
  return Math.ceil(text.length * ((1 - wideRatio) / 4 + wideRatio / 1.5));
}

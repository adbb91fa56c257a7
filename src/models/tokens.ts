/** A context size as people say it: `128k`, `1M`, `1.5M`, `900`. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${rounded(tokens / 1_000_000)}M`;
  if (tokens >= 1_000) return `${Math.round(tokens / 1_000)}k`;
  return String(tokens);
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

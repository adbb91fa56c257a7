/** Milliseconds the service asks us to wait: `Retry-After`, else the reset of the request limit. Absent when it says nothing usable. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  return (
    retryAfter(headers['retry-after'], dateOf(headers) ?? now) ??
    resetTime(headers['x-ratelimit-reset-requests'], now)
  );
}

/** RFC 9110 §10.2.3: seconds, or a date to be compared with the sender's own clock. */
function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Math.max(0, Number(text) * 1_000);
  // Date.parse reads nearly anything as a date; an HTTP date begins with the day's name.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Documented as seconds and as Unix time, seen as Unix milliseconds: the size tells which. */
function resetTime(value: string | undefined, now: number): number | undefined {
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value.trim())) return undefined;
  const figure = Number(value);
  if (figure >= 1e12) return Math.max(0, figure - now);
  if (figure >= 1e9) return Math.max(0, figure * 1_000 - now);
  return figure * 1_000;
}

function dateOf(headers: Readonly<Record<string, string>>): number | undefined {
  const at = Date.parse(headers['date'] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

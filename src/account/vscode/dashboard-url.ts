/** The address of a website, as typed; absent unless it is `https:`, without credentials, and exactly what it looks like. */
export function readDashboardUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  // A parser would drop or change these, and open another address than the one that stands there.
  if (trimmed.length > 2_048 || /[\0-\x20\x7f-\x9f\\|"'<>`^{}]/.test(trimmed)) return undefined;
  if (!/^https:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  return url.username === '' && url.password === '' ? url : undefined;
}

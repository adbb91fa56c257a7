/**
 * The address a link may open, normalised, or undefined: only absolute `https:` and `http:` addresses
 * without credentials, backslashes or control characters. Everything else is shown as text.
 */
export function safeHref(href: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- the point is to refuse them
  if (!/^https?:\/\/[^\s\\\u0000-\u001f\u007f]+$/iu.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.username || url.password ? undefined : url.href;
}

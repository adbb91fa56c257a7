export type LinkVerdict =
  | { readonly kind: 'open'; readonly url: string; readonly host: string }
  | { readonly kind: 'refuse' };

/**
 * Checks whether a link in a model's answer may be opened. Accepts only `https:` and `http:` URLs, parsed as a browser
 * does. Rejects URLs with credentials, because they can make one host look like another.
 */
export function checkLink(href: string): LinkVerdict {
  // oxlint-disable-next-line no-control-regex -- links with control characters are refused
  if (/[\u0000-\u0020\u007F\\]/u.test(href) || !URL.canParse(href)) return { kind: 'refuse' };
  const url = new URL(href);
  const isWebUrl = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWebUrl || url.hostname === '' || url.username !== '' || url.password !== '')
    return { kind: 'refuse' };
  return { kind: 'open', url: url.href, host: url.host };
}

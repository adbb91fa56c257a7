export type LinkVerdict =
  | { readonly kind: 'open'; readonly url: string; readonly host: string }
  | { readonly kind: 'refuse' };

/**
 * Whether a link in a model's answer may be offered for opening at all: only plain `https:` and `http:` addresses,
 * read by the same parser that a browser uses, without credentials that make one host look like another.
 */
export function checkLink(href: string): LinkVerdict {
  // oxlint-disable-next-line no-control-regex -- links with control characters are refused
  if (/[\u0000-\u0020\u007F\\]/u.test(href) || !URL.canParse(href)) return { kind: 'refuse' };
  const url = new URL(href);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  if (!web || url.hostname === '' || url.username !== '' || url.password !== '')
    return { kind: 'refuse' };
  return { kind: 'open', url: url.href, host: url.host };
}

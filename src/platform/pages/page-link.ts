/**
 * Where the page is opened, with the token. In the fragment it is in no request, no `Referer` and no log; where the
 * editor or the system loses fragments, it is the last part of the path.
 * @param base The page without a token, as the browser reaches it.
 */
export function pageLink(base: URL, token: string, place: 'fragment' | 'path'): string {
  const link = new URL(base);
  if (!link.pathname.endsWith('/')) link.pathname += '/';
  if (place === 'fragment') link.hash = token;
  else link.pathname += token;
  return link.href;
}

/** Whether the editor, which writes addresses in its own way, leaves the token as it is. */
export const keepsToken = (written: string, token: string): boolean =>
  new RegExp(`#${token}$`, 'u').test(written);

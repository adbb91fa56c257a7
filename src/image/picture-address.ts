/**
 * Whether an address of a file that was read from our own disk, where another program may have written it, may be
 * looked at and opened: it is that of a file, here or where a workspace is. Commands, web pages and whatever else an
 * address can start are none; nor are files of another machine, to which looking alone would introduce the person,
 * unless a workspace folder is there.
 * @param folders addresses of the workspace's folders
 */
export function isPictureAddress(address: string, folders: readonly string[] = []): boolean {
  const place = placeOf(address);
  if (place === undefined) return false;
  const isOurs = folders.some((folder) => {
    const ours = placeOf(folder);
    return ours?.scheme === place.scheme && ours.authority === place.authority;
  });
  return isOurs || (place.scheme === 'file' ? place.authority === '' : known.has(place.scheme));
}

/** File systems that VS Code brings along: another machine, a repository, and its own settings. */
const known = new Set(['vscode-remote', 'vscode-vfs', 'vscode-userdata']);

interface Place {
  readonly scheme: string;
  readonly authority: string;
}

/** `undefined` for what is no address of a file. */
function placeOf(address: string): Place | undefined {
  const parts = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/\\?#]*))?(\/[^?#]*)$/iu.exec(address);
  if (parts === null) return undefined;
  const [, scheme = '', authority = '', path = ''] = parts;
  try {
    // Two separators at the start of a path name another machine.
    if (/^\/[/\\]/u.test(decodeURIComponent(path))) return undefined;
  } catch {
    return undefined;
  }
  return { scheme: scheme.toLowerCase(), authority: authority.toLowerCase() };
}

import { foldPath } from '../base/fold-path.ts';

const privatePlaces = [
  // Settings, histories and keys live behind a dot, wherever that is.
  /(?:^|\/)\.[^/.]/u,
  /^(?:\/[^/]+)?\/(?:users|home)\/[^/]+\/(?:library|appdata)(?:\/|$)/u,
  /^\/?[a-z]:\/users\/[^/]+\/appdata(?:\/|$)/u,
  /^\/?[a-z]:\/(?:programdata|windows\/system32\/config)(?:\/|$)/u,
  /^\/(?:private\/)?(?:etc|proc|sys|dev|boot|run|root|var)(?:\/|$)/u,
  /^\/library\/(?:keychains|preferences|application support)(?:\/|$)/u,
];

/**
 * Whether a path outside the workspace lies where people and the system keep their own settings: a general
 * permission to read elsewhere does not reach there.
 * @param path The whole path, with slashes of either kind.
 */
export function isPrivatePlace(path: string): boolean {
  const folded = foldPath(path);
  return privatePlaces.some((pattern) => pattern.test(folded));
}

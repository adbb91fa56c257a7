import type { Media, Message, UserMessage } from './conversation.ts';

export interface MediaPorts {
  /** The file as Base64; undefined when it is gone. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** Whether the model sees pictures. */
  readonly vision: boolean;
}

/** Media of one request, in characters of Base64: the service takes bodies of 35 MB (service facts §0). */
const mostMedia = 34_000_000;

/**
 * What goes along of the pictures and documents of `path`, as data URLs by file: everything of the newest message, and
 * of those before it, newest first, what still fits. For a model that is not known to see, only the newest has its pictures: the
 * service says then what is wrong.
 */
export async function loadMedia(
  path: readonly Message[],
  { read, vision }: MediaPorts,
): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  const asked = path.filter((message) => message.role === 'user').toReversed();
  let left = mostMedia;
  for (const message of asked) {
    for (const media of mediaOf(message)) {
      if (loaded.has(media.file)) continue;
      const isNewest = message === asked[0];
      if (!isNewest && (lengthOf(media) > left || (isPicture(media) && !vision))) continue;
      const data = await read(media.file);
      if (data === undefined) continue;
      loaded.set(media.file, `${prefixOf(media)}${data}`);
      left -= data.length;
    }
  }
  return loaded;
}

/** Pictures of the newest message of the person, in characters of their data URLs. */
export function newestPictures(path: readonly Message[]): number {
  const newest = path.findLast((message) => message.role === 'user');
  return mediaOf(newest)
    .filter(isPicture)
    .reduce((sum, media) => sum + prefixOf(media).length + lengthOf(media), 0);
}

const prefixOf = ({ mediaType }: Media): string => `data:${mediaType};base64,`;

const mediaOf = (message: UserMessage | undefined): readonly Media[] =>
  (message?.attachments ?? []).flatMap(({ media }) => media ?? []);

const isPicture = ({ mediaType }: Media): boolean => mediaType.startsWith('image/');

/** In Base64. */
const lengthOf = ({ bytes }: Media): number => Math.ceil(bytes / 3) * 4;

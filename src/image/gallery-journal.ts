import { isRecord, parseJson, parseJsonLines } from '../base/json.ts';
import { type ImageRecord, isAllowedFileUri, readImageRecord } from './image-record.ts';

/** Change to a gallery's list of images, stored as one line of the journal. */
export type GalleryEntry =
  | { readonly type: 'image-add'; readonly record: ImageRecord }
  | { readonly type: 'image-remove'; readonly id: string }
  /** The image `id` was saved as the file `uri`. */
  | { readonly type: 'image-save'; readonly id: string; readonly uri: string }
  /** A saved file of the image was renamed or moved. */
  | {
      readonly type: 'image-move';
      readonly id: string;
      readonly from: string;
      readonly to: string;
    };

/** Maximum number of saved files that a record lists per image. If there are more, the oldest are dropped. */
const maxSavedFiles = 20;

/** Encodes entries as JSON, one per line. Every line ends with a newline. */
export const encodeEntries = (entries: readonly GalleryEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/**
 * Decodes a journal. Skips truncated lines, lines in an unknown format, and saved files whose URI `isAllowedFileUri`
 * rejects.
 * @param folders URIs of the workspace folders.
 */
export const decodeEntries = (
  text: string,
  folders: readonly string[] = [],
): readonly GalleryEntry[] =>
  parseJsonLines(text)
    .map(({ value }) => readEntry(value, folders))
    .filter((entry) => entry !== undefined);

/**
 * Returns the journal lines that this version cannot read, but a newer version may be able to read: entries of an
 * unknown type or image kind. Also returns all other entries about the same images.
 */
export function findUnreadableLines(text: string, folders: readonly string[] = []): string {
  const parsedLines = text.split('\n').map((line) => ({ line, value: parseJson(line) }));
  const unreadableLines = parsedLines.filter(
    ({ value }) => isRecord(value) && readEntry(value, folders) === undefined,
  );
  const ids = new Set(
    unreadableLines.map(({ value }) => readAddedId(value)).filter((id) => id !== undefined),
  );
  const retainedLines = parsedLines.filter(
    (entry) => unreadableLines.includes(entry) || refersToAnyId(entry.value, ids),
  );
  return retainedLines.map(({ line }) => `${line}\n`).join('');
}

/** Returns the ids of all images that the entries mention. */
export const listMentionedIds = (entries: readonly GalleryEntry[]): Set<string> =>
  new Set(entries.map((entry) => (entry.type === 'image-add' ? entry.record.id : entry.id)));

const refersToAnyId = (value: unknown, ids: ReadonlySet<unknown>): boolean =>
  isRecord(value) && value['type'] !== 'image-add' && ids.has(value['id']);

/** Returns the id of the image that an `image-add` entry adds; `undefined` for other entries. */
function readAddedId(value: unknown): unknown {
  if (!isRecord(value) || value['type'] !== 'image-add') return undefined;
  return isRecord(value['record']) ? value['record']['id'] : undefined;
}

/** Applies the entries in order and returns the remaining records, newest first. */
export function replayEntries(entries: Iterable<GalleryEntry>): readonly ImageRecord[] {
  const records = new Map<string, ImageRecord>();
  for (const entry of entries) applyEntry(records, entry);
  return [...records.values()].toReversed();
}

/**
 * Selects images to delete so that the remaining images fit the size limit. Selects images with a saved file first, and
 * older images before newer images.
 * @param retainedIds ids of images that are never selected, even if the limit is exceeded
 */
export function selectEvictedIds(
  recordsNewestFirst: readonly ImageRecord[],
  maxBytes: number,
  retainedIds: ReadonlySet<string> = new Set(),
): readonly string[] {
  let bytes = recordsNewestFirst.reduce((sum, record) => sum + record.bytes, 0);
  const evictableRecords = recordsNewestFirst.filter(({ id }) => !retainedIds.has(id)).toReversed();
  const [savedRecords, unsavedRecords] = [
    evictableRecords.filter((record) => record.saved.length > 0),
    evictableRecords.filter((record) => record.saved.length === 0),
  ];
  const evictions: string[] = [];
  for (const record of [...savedRecords, ...unsavedRecords]) {
    if (bytes <= maxBytes) break;
    evictions.push(record.id);
    bytes -= record.bytes;
  }
  return evictions;
}

function applyEntry(records: Map<string, ImageRecord>, entry: GalleryEntry): void {
  if (entry.type === 'image-add') {
    const { id, origin } = entry.record;
    // The record of a recovered image has no request, so it does not replace a record with a request.
    const isRecovered = origin.kind === 'generate' && origin.request.prompt === '';
    if (!isRecovered || !records.has(id)) records.set(id, entry.record);
    return;
  }
  const record = records.get(entry.id);
  if (record === undefined) return;
  const { saved } = record;
  switch (entry.type) {
    case 'image-remove':
      records.delete(entry.id);
      return;
    case 'image-save': {
      const otherUris = saved.filter((uri) => uri !== entry.uri);
      records.set(entry.id, { ...record, saved: [...otherUris, entry.uri].slice(-maxSavedFiles) });
      return;
    }
    case 'image-move':
      records.set(entry.id, {
        ...record,
        saved: saved.map((uri) => (uri === entry.from ? entry.to : uri)),
      });
  }
}

function readEntry(value: unknown, folders: readonly string[]): GalleryEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { type, id, uri, from, to } = value;
  if (type === 'image-add') {
    const record = readImageRecord(value['record'], folders);
    return record && { type, record };
  }
  if (typeof id !== 'string') return undefined;
  if (type === 'image-remove') return { type, id };
  const isFileUri = (text: unknown): text is string =>
    typeof text === 'string' && isAllowedFileUri(text, folders);
  if (type === 'image-save' && isFileUri(uri)) return { type, id, uri };
  return type === 'image-move' && typeof from === 'string' && isFileUri(to)
    ? { type, id, from, to }
    : undefined;
}

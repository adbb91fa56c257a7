import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import {
  decodeEntries,
  encodeEntries,
  listMentionedIds,
  replayEntries,
  type GalleryEntry,
  selectEvictedIds,
  findUnreadableLines,
} from '../gallery-journal.ts';
import { readImageHeader } from '../image-header.ts';
import type { ImageRecord } from '../image-record.ts';
import { removeLeftovers, writeFileAtomically } from '../../platform/atomic-file.ts';
import { isNewerFile } from '../../platform/newer-file.ts';
import { GalleryFile } from './gallery-file.ts';
import { ImageFile, createGalleryFileName, recoverRecord } from './image-file.ts';

/** Smallest and largest size limit that the user can set for the gallery, in megabytes. */
export const galleryMegabytes = { min: 50, max: 100_000 } as const;

export interface GalleryOptions {
  /** Path of the gallery folder. Created when the first image is stored. */
  readonly folder: string;
  /**
   * Maximum total size of the images in bytes. If the total exceeds this size, images with a saved file are deleted
   * first, then all other images, oldest first.
   */
  readonly getMaxBytes: () => number;
  /** Returns the URIs of the workspace folders. Default: none. */
  readonly listFolderUris?: () => readonly string[];
  readonly showWarning?: (text: string) => void;
}

export type GalleryChange =
  | { readonly type: 'image-put'; readonly record: ImageRecord }
  | { readonly type: 'image-remove'; readonly ids: readonly string[] };

const journalName = 'gallery.jsonl';
/** Name of the journal to which this version writes if a newer version of the extension wrote `gallery.jsonl`. */
const secondaryJournalName = 'gallery.v1.jsonl';
const dayMs = 24 * 60 * 60 * 1_000;
/**
 * Maximum number of obsolete lines in the journal. A window that opens a gallery with more obsolete lines rewrites the
 * journal.
 */
const maxStaleLines = 200;
const maxThumbnailBytes = 64 * 1024;

/**
 * Image gallery of a workspace, consisting of image files and a journal with the request of each image. Several windows
 * can use the same folder. A window reads the changes of other windows when it next accesses the gallery.
 */
export class Gallery implements Disposable {
  readonly #options: GalleryOptions;
  readonly #onDidChangeEmitter = new Emitter<GalleryChange>();
  #journal: GalleryFile;
  #hasNewerJournal = false;
  /** Entries from the secondary journal. They are applied before the entries of `#journal`. */
  #secondaryEntries: readonly GalleryEntry[] = [];
  /** Records by image id at the time of the last read, oldest first. Undefined before the first read. */
  #records: ReadonlyMap<string, ImageRecord> | undefined;
  /**
   * Ids of images from calls that are still running. Deletions that reduce the gallery to its size limit skip these
   * images.
   */
  readonly #protectedIds = new Set<string>();
  #lastOperation: Promise<unknown> = Promise.resolve();

  constructor(options: GalleryOptions) {
    this.#options = options;
    this.#journal = new GalleryFile(join(options.folder, journalName));
  }

  readonly onDidChange: Event<GalleryChange> = (listener) =>
    this.#onDidChangeEmitter.event(listener);

  /** Returns the records of all images, newest first. */
  async list(): Promise<readonly ImageRecord[]> {
    return [...(await this.#getCurrentRecords()).values()].toReversed();
  }

  async find(id: string): Promise<ImageRecord | undefined> {
    return (await this.#getCurrentRecords()).get(id);
  }

  /**
   * True if a newer version of the extension wrote the journal. The images of this journal are then not listed. False
   * until the journal is first read.
   */
  get hasNewerJournal(): boolean {
    return this.#hasNewerJournal;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get capBytes(): number {
    return this.#options.getMaxBytes();
  }

  getImagePath({ id, format }: Pick<ImageRecord, 'id' | 'format'>): string {
    return join(this.#options.folder, createGalleryFileName(id, format));
  }

  getThumbnailPath(id: string): string {
    return join(this.#options.folder, 'thumbnails', `${id}.webp`);
  }

  /** Returns the ids of all images for which a thumbnail file exists. */
  async listThumbnailIds(): Promise<readonly string[]> {
    const names = await readdir(join(this.#options.folder, 'thumbnails')).catch(() => []);
    return names.filter((name) => name.endsWith('.webp')).map((name) => name.slice(0, -5));
  }

  /**
   * Creates a temporary file for an image that is being received. When the image is complete, the caller must call
   * {@link ImageFile.completeAs} with the id of the image's record.
   */
  createImageFile(): Promise<ImageFile> {
    return ImageFile.create(this.#options.folder);
  }

  /**
   * Adds the record of a completed image. The image is exempt from the size limit of the gallery until
   * `enforceSizeLimit` is called with its id.
   * @throws if the journal cannot be written. The image file remains, and the gallery adds a record for this file when
   * it is next loaded.
   */
  async add(record: ImageRecord): Promise<void> {
    this.#protectedIds.add(record.id);
    try {
      await this.#writeEntries({ type: 'image-add', record });
    } catch (error) {
      this.#protectedIds.delete(record.id);
      throw error;
    }
  }

  /**
   * Deletes images until the gallery meets its size limit: first images with a saved file, then the oldest images.
   * @param ids ids of the images of a completed image request. This call does not delete them, but later calls can.
   */
  async enforceSizeLimit(ids: readonly string[]): Promise<void> {
    await this.remove(
      selectEvictedIds(await this.list(), this.#options.getMaxBytes(), this.#protectedIds),
    );
    for (const id of ids) this.#protectedIds.delete(id);
  }

  /** Deletes images permanently. Does not delete files to which images were saved. */
  async remove(ids: readonly string[]): Promise<void> {
    const records = await this.#getCurrentRecords();
    const foundRecords = ids.map((id) => records.get(id)).filter((record) => record !== undefined);
    if (foundRecords.length === 0) return;
    await this.#writeEntries(
      ...foundRecords.map(({ id }): GalleryEntry => ({ type: 'image-remove', id })),
    );
    for (const record of foundRecords) {
      await rm(this.getImagePath(record), { force: true }).catch(() => {});
      await rm(this.getThumbnailPath(record.id), { force: true }).catch(() => {});
    }
  }

  async recordSavedFile(id: string, uri: string): Promise<void> {
    if ((await this.find(id)) !== undefined)
      await this.#writeEntries({ type: 'image-save', id, uri });
  }

  /**
   * Records the new locations of saved files that were renamed or moved.
   * @param moves new URIs by old URI
   */
  async recordMovedFiles(moves: ReadonlyMap<string, string>): Promise<void> {
    const entries = (await this.list()).flatMap(({ id, saved }) =>
      saved.flatMap((from): GalleryEntry[] => {
        const to = moves.get(from);
        return to === undefined ? [] : [{ type: 'image-move', id, from, to }];
      }),
    );
    if (entries.length > 0) await this.#writeEntries(...entries);
  }

  /**
   * Stores a thumbnail. Returns false and stores nothing if the bytes are not a WebP image within the limits for
   * thumbnails, or if the image is not in the gallery.
   */
  async storeThumbnail(id: string, bytes: Uint8Array): Promise<boolean> {
    const isSmall = bytes.length <= maxThumbnailBytes;
    if (!isSmall || readImageHeader(bytes)?.format !== 'webp') return false;
    if ((await this.find(id)) === undefined) return false;
    await writeFileAtomically(this.getThumbnailPath(id), bytes);
    return true;
  }

  dispose(): void {
    this.#onDidChangeEmitter.dispose();
  }

  /** Returns all records by image id, oldest first. First reads the new lines of the journal. */
  #getCurrentRecords(): Promise<ReadonlyMap<string, ImageRecord>> {
    return this.#enqueueOperation(async () => {
      const records = this.#records ?? (await this.#loadRecords());
      return (await this.#journal.hasChanges()) ? this.#readJournal(records) : records;
    });
  }

  /** Appends entries to the journal, updates the records and notifies listeners. */
  #writeEntries(...entries: readonly GalleryEntry[]): Promise<void> {
    return this.#enqueueOperation(async () => {
      const records = this.#records ?? (await this.#loadRecords());
      await this.#journal.appendLines(encodeEntries(entries), () =>
        encodeEntries(toAddEntries(records)),
      );
      await this.#readJournal(records);
    });
  }

  #enqueueOperation<T>(operation: () => Promise<T>): Promise<T> {
    const resultPromise = this.#lastOperation.then(operation);
    this.#lastOperation = resultPromise.catch(() => {});
    return resultPromise;
  }

  async #loadRecords(): Promise<ReadonlyMap<string, ImageRecord>> {
    void removeLeftovers(this.#options.folder, dayMs);
    void removeLeftovers(join(this.#options.folder, 'thumbnails'), dayMs);
    await this.#openJournals();
    const { lines = '' } = (await this.#journal.readNewLines()) ?? {};
    const storedEntries = this.#decodeLines(lines);
    const entries = [...storedEntries, ...(await this.#recoverEntries(storedEntries))];
    const records = indexById(replayEntries([...this.#secondaryEntries, ...entries]));
    this.#records = records;
    // If the rewrite fails, the next window that opens the gallery tries again.
    const maxLines = records.size + this.#secondaryEntries.length + maxStaleLines;
    if (entries.length > maxLines) {
      await this.#journal
        .replaceContent((currentLines) => this.#shortenJournal(currentLines))
        .catch(() => {});
    }
    return records;
  }

  /** Adds a record for each image file whose journal entry is damaged or missing. */
  async #recoverEntries(storedEntries: readonly GalleryEntry[]): Promise<readonly GalleryEntry[]> {
    if (this.#hasNewerJournal) return [];
    const { folder, showWarning } = this.#options;
    const knownIds = listMentionedIds([...this.#secondaryEntries, ...storedEntries]).union(
      this.#protectedIds,
    );
    const names = await readdir(folder).catch(() => []);
    const records: ImageRecord[] = [];
    for (const name of names.filter((name) => !knownIds.has(name.replace(/\.[^.]*$/u, '')))) {
      const record = await recoverRecord(folder, name);
      if (record !== undefined) records.push(record);
    }
    const recoveredEntries = records
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .map((record): GalleryEntry => ({ type: 'image-add', record }));
    if (recoveredEntries.length === 0) return [];
    showWarning?.(
      `The gallery in ${folder} had no entry for ${recoveredEntries.length} images. They are listed again.`,
    );
    await this.#journal.appendLines(encodeEntries(recoveredEntries), () => '').catch(() => {});
    return recoveredEntries;
  }

  async #readJournal(
    records: ReadonlyMap<string, ImageRecord>,
  ): Promise<ReadonlyMap<string, ImageRecord>> {
    const update = await this.#journal.readNewLines();
    if (update === undefined) return records;
    const previousEntries = update.isNew ? this.#secondaryEntries : toAddEntries(records);
    const currentRecords = indexById(
      replayEntries([...previousEntries, ...this.#decodeLines(update.lines)]),
    );
    this.#records = currentRecords;
    this.#notifyListeners(records, currentRecords);
    return currentRecords;
  }

  #decodeLines(lines: string): readonly GalleryEntry[] {
    return decodeEntries(lines, this.#options.listFolderUris?.());
  }

  #shortenJournal(lines: string): string {
    const secondaryEntries = this.#secondaryEntries;
    const records = indexById(replayEntries([...secondaryEntries, ...this.#decodeLines(lines)]));
    // The secondary journal still contains `image-add` entries of deleted images, so the journal must keep their
    // `image-remove` entries.
    const removals = secondaryEntries.flatMap((entry): GalleryEntry[] =>
      entry.type === 'image-add' && !records.has(entry.record.id)
        ? [{ type: 'image-remove', id: entry.record.id }]
        : [],
    );
    const entries = encodeEntries([...toAddEntries(records), ...removals]);
    return entries + findUnreadableLines(lines, this.#options.listFolderUris?.());
  }

  /**
   * Uses the secondary journal for new entries if a newer version of the extension wrote `gallery.jsonl`. Otherwise,
   * reads the entries of the secondary journal and continues to use `gallery.jsonl`.
   */
  async #openJournals(): Promise<void> {
    const { folder, showWarning } = this.#options;
    const path = join(folder, journalName);
    const secondaryJournal = new GalleryFile(join(folder, secondaryJournalName));
    this.#hasNewerJournal = await isNewerFile(path);
    if (this.#hasNewerJournal) {
      showWarning?.(`A newer version of the extension wrote ${path}. Its images are not shown.`);
      this.#journal = secondaryJournal;
    } else {
      const { lines = '' } = (await secondaryJournal.readNewLines()) ?? {};
      this.#secondaryEntries = this.#decodeLines(lines);
    }
  }

  #notifyListeners(
    previousRecords: ReadonlyMap<string, ImageRecord>,
    currentRecords: ReadonlyMap<string, ImageRecord>,
  ): void {
    for (const [id, record] of currentRecords) {
      const previousRecord = previousRecords.get(id);
      // A rewrite of the journal creates new objects for unchanged records, so their contents are compared.
      if (previousRecord === record || isDeepStrictEqual(previousRecord, record)) continue;
      this.#onDidChangeEmitter.fire({ type: 'image-put', record });
    }
    const ids = [...previousRecords.keys()].filter((id) => !currentRecords.has(id));
    if (ids.length > 0) this.#onDidChangeEmitter.fire({ type: 'image-remove', ids });
  }
}

/** Creates a map of records by id, oldest first. */
const indexById = (recordsNewestFirst: readonly ImageRecord[]): Map<string, ImageRecord> =>
  new Map(recordsNewestFirst.toReversed().map((record) => [record.id, record]));

const toAddEntries = (records: ReadonlyMap<string, ImageRecord>): GalleryEntry[] =>
  [...records.values()].map((record) => ({ type: 'image-add', record }));

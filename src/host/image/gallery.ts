import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import {
  decodeGallery,
  encodeEntries,
  foldGallery,
  type GalleryEntry,
  overCap,
} from '../../image/gallery-journal.ts';
import { readImageHeader } from '../../image/image-header.ts';
import type { ImageRecord } from '../../image/image-record.ts';
import { appendToFile } from '../storage/append-file.ts';
import { removeLeftovers, writeFileAtomically } from '../storage/atomic-file.ts';
import { PictureFile, pictureName } from './picture-file.ts';

export interface GalleryOptions {
  /** On disk; made when the first picture comes. */
  readonly folder: string;
  /** Bytes that all pictures together may have; the oldest go first, of those the ones that were saved elsewhere. */
  readonly capBytes: () => number;
}

export type GalleryChange =
  | { readonly type: 'image-put'; readonly record: ImageRecord }
  | { readonly type: 'image-remove'; readonly ids: readonly string[] };

const day = 24 * 60 * 60 * 1_000;
/** Lines of the journal that say nothing any more, before it is written anew. */
const mostStaleLines = 200;
const mostThumbnailBytes = 64 * 1024;

/** Every picture that was made for this workspace: the pictures themselves, and how each was asked for. */
export class Gallery implements Disposable {
  readonly #options: GalleryOptions;
  readonly #changes = new Emitter<GalleryChange>();
  #records: Promise<Map<string, ImageRecord>> | undefined;
  #lines = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: GalleryOptions) {
    this.#options = options;
  }

  readonly onDidChange: Event<GalleryChange> = (listener) => this.#changes.event(listener);

  /** Newest first. */
  async list(): Promise<readonly ImageRecord[]> {
    return [...(await this.#load()).values()].toReversed();
  }

  async find(id: string): Promise<ImageRecord | undefined> {
    return (await this.#load()).get(id);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get capBytes(): number {
    return this.#options.capBytes();
  }

  picturePath({ id, format }: Pick<ImageRecord, 'id' | 'format'>): string {
    return join(this.#options.folder, pictureName(id, format));
  }

  thumbnailPath(id: string): string {
    return join(this.#options.folder, 'thumbnails', `${id}.webp`);
  }

  /** Ids of the pictures that have a small copy. */
  async thumbnails(): Promise<readonly string[]> {
    const names = await readdir(join(this.#options.folder, 'thumbnails')).catch(() => []);
    return names.filter((name) => name.endsWith('.webp')).map((name) => name.slice(0, -5));
  }

  /** A file for a picture that is on its way; `finish` it with the id of its record. */
  newPicture(): Promise<PictureFile> {
    return PictureFile.create(this.#options.folder);
  }

  /**
   * Keeps the record of a picture whose file is finished.
   * @throws what the disk says
   */
  async add(record: ImageRecord): Promise<void> {
    await this.#write({ type: 'image-add', record });
    await this.#shrink(record.id);
  }

  /** Deletes pictures for good; what was saved from them stays. */
  async remove(ids: readonly string[]): Promise<void> {
    const known = await this.#load();
    const found = ids.map((id) => known.get(id)).filter((record) => record !== undefined);
    if (found.length === 0) return;
    await this.#write(...found.map(({ id }): GalleryEntry => ({ type: 'image-remove', id })));
    for (const record of found) {
      await rm(this.picturePath(record), { force: true }).catch(() => {});
      await rm(this.thumbnailPath(record.id), { force: true }).catch(() => {});
    }
  }

  async noteSaved(id: string, uri: string): Promise<void> {
    if ((await this.find(id)) !== undefined) await this.#write({ type: 'image-save', id, uri });
  }

  /** A file that was saved from a picture has another name now. */
  async noteMoved(from: string, to: string): Promise<void> {
    const records = (await this.list()).filter(({ saved }) => saved.includes(from));
    const entries = records.map(({ id }): GalleryEntry => ({ type: 'image-move', id, from, to }));
    if (entries.length > 0) await this.#write(...entries);
  }

  /** Keeps a small picture for the list. False for what is no WebP of a picture we have, or not small: it is dropped. */
  async keepThumbnail(id: string, bytes: Uint8Array): Promise<boolean> {
    const isSmall = bytes.length <= mostThumbnailBytes;
    if (!isSmall || readImageHeader(bytes)?.format !== 'webp') return false;
    if ((await this.find(id)) === undefined) return false;
    await writeFileAtomically(this.thumbnailPath(id), bytes);
    return true;
  }

  dispose(): void {
    this.#changes.dispose();
  }

  get #journal(): string {
    return join(this.#options.folder, 'gallery.jsonl');
  }

  #load(): Promise<Map<string, ImageRecord>> {
    this.#records ??= this.#read();
    return this.#records;
  }

  async #read(): Promise<Map<string, ImageRecord>> {
    void removeLeftovers(this.#options.folder, day);
    const text = await readFile(this.#journal, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      this.#records = undefined;
      throw error;
    });
    const entries = decodeGallery(text);
    this.#lines = entries.length;
    return byId(foldGallery(entries));
  }

  /** One write after the other: each is on disk before it is told. */
  #write(...entries: readonly GalleryEntry[]): Promise<void> {
    const written = this.#writing.then(() => this.#writeNow(entries));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #writeNow(entries: readonly GalleryEntry[]): Promise<void> {
    const before = await this.#load();
    const now = byId(foldGallery([...addsOf(before), ...entries]));
    this.#lines += entries.length;
    if (this.#lines === entries.length || this.#lines > now.size + mostStaleLines) {
      await writeFileAtomically(this.#journal, encodeEntries(addsOf(now)));
      this.#lines = now.size;
    } else {
      await appendToFile(this.#journal, encodeEntries(entries));
    }
    this.#records = Promise.resolve(now);
    this.#tell(before, now);
  }

  #tell(before: ReadonlyMap<string, ImageRecord>, now: ReadonlyMap<string, ImageRecord>): void {
    for (const [id, record] of now) {
      if (before.get(id) !== record) this.#changes.fire({ type: 'image-put', record });
    }
    const ids = [...before.keys()].filter((id) => !now.has(id));
    if (ids.length > 0) this.#changes.fire({ type: 'image-remove', ids });
  }

  /** The picture that was just paid for always stays. */
  async #shrink(newest: string): Promise<void> {
    const over = overCap(await this.list(), this.#options.capBytes());
    await this.remove(over.filter((id) => id !== newest));
  }
}

/** Oldest first. */
const byId = (newestFirst: readonly ImageRecord[]): Map<string, ImageRecord> =>
  new Map(newestFirst.toReversed().map((record) => [record.id, record]));

const addsOf = (records: ReadonlyMap<string, ImageRecord>): GalleryEntry[] =>
  [...records.values()].map((record) => ({ type: 'image-add', record }));

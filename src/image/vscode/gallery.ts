import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import {
  decodeEntries,
  encodeEntries,
  replayEntries,
  type GalleryEntry,
  selectEvictions,
  unreadableLines,
} from '../gallery-journal.ts';
import { readImageHeader } from '../image-header.ts';
import type { ImageRecord } from '../image-record.ts';
import { removeLeftovers, writeFileAtomically } from '../../platform/atomic-file.ts';
import { isNewerFile } from '../../platform/newer-file.ts';
import { GalleryFile } from './gallery-file.ts';
import { ImageFile, galleryFileName } from './image-file.ts';

export interface GalleryOptions {
  /** On disk; made when the first picture comes. */
  readonly folder: string;
  /** Bytes that all pictures together may have; the oldest go first, of those the ones that were saved elsewhere. */
  readonly capBytes: () => number;
  /** Addresses of the workspace's folders; none unless given. */
  readonly folders?: () => readonly string[];
  /** Receives a line for the log. */
  readonly warn?: (text: string) => void;
}

export type GalleryChange =
  | { readonly type: 'image-put'; readonly record: ImageRecord }
  | { readonly type: 'image-remove'; readonly ids: readonly string[] };

const journalName = 'gallery.jsonl';
/** Journal in use while a newer version's journal has the usual name. */
const besideName = 'gallery.v1.jsonl';
const day = 24 * 60 * 60 * 1_000;
/** Lines of the journal that say nothing any more, before the next window writes it anew. */
const mostStaleLines = 200;
const mostThumbnailBytes = 64 * 1024;

/**
 * Every picture that was made for this workspace: the pictures themselves, and how each was asked for. Several windows
 * may have one folder: each sees what the others did when it looks the next time.
 */
export class Gallery implements Disposable {
  readonly #options: GalleryOptions;
  readonly #changes = new Emitter<GalleryChange>();
  #journal: GalleryFile;
  #hasNewerJournal = false;
  /** Entries recorded while a newer version's journal was in use; they come before those of `#journal`. */
  #besideEntries: readonly GalleryEntry[] = [];
  /** Oldest first, as far as the journal was read; undefined before the first time. */
  #records: ReadonlyMap<string, ImageRecord> | undefined;
  /** Pictures of calls that are not over. */
  readonly #fresh = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: GalleryOptions) {
    this.#options = options;
    this.#journal = new GalleryFile(join(options.folder, journalName));
  }

  readonly onDidChange: Event<GalleryChange> = (listener) => this.#changes.event(listener);

  /** Newest first. */
  async list(): Promise<readonly ImageRecord[]> {
    return [...(await this.#look()).values()].toReversed();
  }

  async find(id: string): Promise<ImageRecord | undefined> {
    return (await this.#look()).get(id);
  }

  /** True when a newer version wrote the journal, so that its images are not listed. False before the first `list`. */
  get hasNewerJournal(): boolean {
    return this.#hasNewerJournal;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get capBytes(): number {
    return this.#options.capBytes();
  }

  imagePath({ id, format }: Pick<ImageRecord, 'id' | 'format'>): string {
    return join(this.#options.folder, galleryFileName(id, format));
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
  createImageFile(): Promise<ImageFile> {
    return ImageFile.create(this.#options.folder);
  }

  /**
   * Keeps the record of a picture whose file is finished. It stays whatever the cap is until `settle`.
   * @throws what the disk says; the picture is then deleted, for nothing would ever show it
   */
  async add(record: ImageRecord): Promise<void> {
    this.#fresh.add(record.id);
    try {
      await this.#write({ type: 'image-add', record });
    } catch (error) {
      this.#fresh.delete(record.id);
      await rm(this.imagePath(record), { force: true }).catch(() => {});
      throw error;
    }
  }

  /** The call that made these pictures is over: older ones go until all fit the cap. */
  async enforceCap(ids: readonly string[]): Promise<void> {
    await this.remove(selectEvictions(await this.list(), this.#options.capBytes(), this.#fresh));
    for (const id of ids) this.#fresh.delete(id);
  }

  /** Deletes pictures for good; what was saved from them stays. */
  async remove(ids: readonly string[]): Promise<void> {
    const known = await this.#look();
    const found = ids.map((id) => known.get(id)).filter((record) => record !== undefined);
    if (found.length === 0) return;
    await this.#write(...found.map(({ id }): GalleryEntry => ({ type: 'image-remove', id })));
    for (const record of found) {
      await rm(this.imagePath(record), { force: true }).catch(() => {});
      await rm(this.thumbnailPath(record.id), { force: true }).catch(() => {});
    }
  }

  async recordSaved(id: string, uri: string): Promise<void> {
    if ((await this.find(id)) !== undefined) await this.#write({ type: 'image-save', id, uri });
  }

  /** Files that were saved from pictures have other names now. */
  async recordMoved(moves: ReadonlyMap<string, string>): Promise<void> {
    const entries = (await this.list()).flatMap(({ id, saved }) =>
      saved.flatMap((from): GalleryEntry[] => {
        const to = moves.get(from);
        return to === undefined ? [] : [{ type: 'image-move', id, from, to }];
      }),
    );
    if (entries.length > 0) await this.#write(...entries);
  }

  /** Keeps a small picture for the list. False for what is no WebP of a picture we have, or not small: it is dropped. */
  async storeThumbnail(id: string, bytes: Uint8Array): Promise<boolean> {
    const isSmall = bytes.length <= mostThumbnailBytes;
    if (!isSmall || readImageHeader(bytes)?.format !== 'webp') return false;
    if ((await this.find(id)) === undefined) return false;
    await writeFileAtomically(this.thumbnailPath(id), bytes);
    return true;
  }

  dispose(): void {
    this.#changes.dispose();
  }

  /** What the journal says now. */
  #look(): Promise<ReadonlyMap<string, ImageRecord>> {
    return this.#inTurn(async () => {
      const known = this.#records ?? (await this.#begin());
      return (await this.#journal.hasNews()) ? this.#read(known) : known;
    });
  }

  /** On disk before it is told. */
  #write(...entries: readonly GalleryEntry[]): Promise<void> {
    return this.#inTurn(async () => {
      const known = this.#records ?? (await this.#begin());
      await this.#journal.append(encodeEntries(entries), () => encodeEntries(addsOf(known)));
      await this.#read(known);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #begin(): Promise<ReadonlyMap<string, ImageRecord>> {
    void removeLeftovers(this.#options.folder, day);
    void removeLeftovers(join(this.#options.folder, 'thumbnails'), day);
    await this.#openJournals();
    const { lines = '' } = (await this.#journal.read()) ?? {};
    const entries = this.#decode(lines);
    const records = byId(replayEntries([...this.#besideEntries, ...entries]));
    this.#records = records;
    // What cannot be shortened now is shortened the next time.
    const mostLines = records.size + this.#besideEntries.length + mostStaleLines;
    if (entries.length > mostLines) {
      await this.#journal.rewrite((all) => this.#shortened(all)).catch(() => {});
    }
    return records;
  }

  async #read(known: ReadonlyMap<string, ImageRecord>): Promise<ReadonlyMap<string, ImageRecord>> {
    const news = await this.#journal.read();
    if (news === undefined) return known;
    const before = news.isNew ? this.#besideEntries : addsOf(known);
    const now = byId(replayEntries([...before, ...this.#decode(news.lines)]));
    this.#records = now;
    this.#tell(known, now);
    return now;
  }

  #decode(lines: string): readonly GalleryEntry[] {
    return decodeEntries(lines, this.#options.folders?.());
  }

  #shortened(lines: string): string {
    const beside = this.#besideEntries;
    const records = byId(replayEntries([...beside, ...this.#decode(lines)]));
    // Without its removal, an image of the other journal would be listed again.
    const removals = beside.flatMap((entry): GalleryEntry[] =>
      entry.type === 'image-add' && !records.has(entry.record.id)
        ? [{ type: 'image-remove', id: entry.record.id }]
        : [],
    );
    const entries = encodeEntries([...addsOf(records), ...removals]);
    return entries + unreadableLines(lines, this.#options.folders?.());
  }

  /** Switches to a separate journal when a newer version wrote `gallery.jsonl`. */
  async #openJournals(): Promise<void> {
    const { folder, warn } = this.#options;
    const path = join(folder, journalName);
    const beside = new GalleryFile(join(folder, besideName));
    this.#hasNewerJournal = await isNewerFile(path);
    if (this.#hasNewerJournal) {
      warn?.(`A newer version of the extension wrote ${path}. Its images are not shown.`);
      this.#journal = beside;
    } else {
      const { lines = '' } = (await beside.read()) ?? {};
      this.#besideEntries = this.#decode(lines);
    }
  }

  #tell(before: ReadonlyMap<string, ImageRecord>, now: ReadonlyMap<string, ImageRecord>): void {
    for (const [id, record] of now) {
      const old = before.get(id);
      // A journal that was written anew says the same in other objects.
      if (old === record || isDeepStrictEqual(old, record)) continue;
      this.#changes.fire({ type: 'image-put', record });
    }
    const ids = [...before.keys()].filter((id) => !now.has(id));
    if (ids.length > 0) this.#changes.fire({ type: 'image-remove', ids });
  }
}

/** Oldest first. */
const byId = (newestFirst: readonly ImageRecord[]): Map<string, ImageRecord> =>
  new Map(newestFirst.toReversed().map((record) => [record.id, record]));

const addsOf = (records: ReadonlyMap<string, ImageRecord>): GalleryEntry[] =>
  [...records.values()].map((record) => ({ type: 'image-add', record }));

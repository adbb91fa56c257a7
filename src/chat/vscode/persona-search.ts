import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Character, CharacterPage, CharacterQuery } from '../../service/characters.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { endpointUrl } from '../../service/http/endpoint.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { isPublicAddress } from '../../service/http/public-address.ts';
import { type ImageFileType, detectImageType } from '../../base/image-format.ts';

/** What of a search is known. */
export interface PersonaResults {
  readonly words: string;
  readonly characters: readonly Character[];
  readonly isLoading: boolean;
  /** More can be asked for. */
  readonly hasMore: boolean;
  /** Why there are no more than these. */
  readonly failure?: ServiceFailure;
}

interface SearchOptions {
  readonly clock: Clock;
  readonly list: (query: CharacterQuery, signal: AbortSignal) => Promise<CharacterPage>;
  /** Those for adults are left out, whatever the service says. */
  readonly showAdult: boolean;
  readonly onChange: (results: PersonaResults) => void;
}

const pageSize = 50;
/** A person types faster than it is worth asking. */
const pauseMs = 250;
/** Nobody reads further. */
const mostResults = 500;

/** Finds personas while somebody types: asks after a pause, and the last question wins. */
export class PersonaSearch {
  readonly #options: SearchOptions;
  #results: PersonaResults = { words: '', characters: [], isLoading: true, hasMore: false };
  #offset = 0;
  #hasBegun = false;
  #asking = new AbortController();
  #cancelPause: () => void = () => {};

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Searches for these words after a pause; without one when they are empty. */
  type(words: string): void {
    // Lists tell of words that were put into them, too.
    if (this.#hasBegun && words === this.#results.words) return;
    this.#hasBegun = true;
    this.#cancelPause();
    this.#asking.abort();
    this.#set({ words, characters: [], isLoading: true, hasMore: false });
    const start = (): void => void this.#ask(0);
    if (words.trim() === '') start();
    else this.#cancelPause = this.#options.clock.after(pauseMs, start);
  }

  /** Asks for the next page, or once more after a failure. */
  more(): void {
    if (this.#results.isLoading) return;
    const { failure: _failure, ...results } = this.#results;
    this.#set({ ...results, isLoading: true, hasMore: false });
    void this.#ask(this.#offset);
  }

  dispose(): void {
    this.#cancelPause();
    this.#asking.abort();
  }

  async #ask(offset: number): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const { list, showAdult } = this.#options;
    const { words } = this.#results;
    const query: CharacterQuery = {
      ...{ search: words, limit: pageSize, offset },
      ...(showAdult ? {} : { isAdult: false }),
    };
    try {
      const page = await list(query, asking.signal);
      if (asking.signal.aborted) return;
      this.#offset = offset + page.count;
      const known = new Set(this.#results.characters.map(({ slug }) => slug));
      const fresh = page.characters.filter(
        ({ slug, isAdult }) => !known.has(slug) && (showAdult || !isAdult),
      );
      const characters = [...this.#results.characters, ...fresh];
      const hasMore = page.count === pageSize && characters.length < mostResults;
      this.#set({ words, characters, isLoading: false, hasMore });
    } catch (error) {
      if (asking.signal.aborted) return;
      const { failure } = toServiceError(error);
      this.#set({ ...this.#results, isLoading: false, hasMore: false, failure });
    }
  }

  #set(results: PersonaResults): void {
    this.#results = results;
    this.#options.onChange(results);
  }
}

export interface PersonaPictureOptions {
  /** Where they are kept. */
  readonly folder: string;
  readonly service: ServiceContext;
}

/** Of one picture, in bytes. */
const mostBytes = 2 * 1024 * 1024;
/** The oldest are let go beyond so many. */
const mostKept = 300;
const timeouts = { connect: 10_000, headers: 10_000, idle: 10_000 };
/** For all of one picture, however it comes. */
const mostMs = 30_000;

/**
 * Pictures of personas on disk: fetched without key or sign-in, only over HTTPS from the public web or from the
 * service itself, and kept only when their bytes are a picture's. The page and the editor never ask the address
 * themselves.
 */
export class PersonaPictures {
  readonly #options: PersonaPictureOptions;

  constructor(options: PersonaPictureOptions) {
    this.#options = options;
  }

  /** Where the picture lies; undefined when there is none that can be shown. Never throws. */
  async fileOf(address: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const url = await this.#allowed(address);
      if (url === undefined) return undefined;
      return (await this.#kept(url)) ?? (await this.#fetch(url, signal));
    } catch {
      // A picture is not worth a word.
      return undefined;
    }
  }

  /** Whoever makes a persona must not reach into a private network; the service itself is asked as it is reached. */
  async #allowed(address: string): Promise<URL | undefined> {
    if (!URL.canParse(address)) return undefined;
    const url = new URL(address);
    if (url.username !== '' || url.password !== '') return undefined;
    const { baseUrl } = await this.#options.service.endpoint();
    const isOwn = url.origin === endpointUrl(baseUrl, '/').origin;
    const isPublic = url.protocol === 'https:' && isPublicAddress(url.href);
    return isOwn || isPublic ? url : undefined;
  }

  async #kept(url: URL): Promise<string | undefined> {
    for (const extension of Object.values(extensions)) {
      const path = join(this.#options.folder, `${hashedName(url)}.${extension}`);
      const isThere = await stat(path).then(
        (found) => found.isFile(),
        () => false,
      );
      if (isThere) return path;
    }
    return undefined;
  }

  async #fetch(url: URL, signal: AbortSignal): Promise<string | undefined> {
    const bytes = await this.#read(url, signal);
    const extension = bytes === undefined ? undefined : extensionOf(bytes);
    if (bytes === undefined || extension === undefined) return undefined;
    return this.#keep(`${hashedName(url)}.${extension}`, bytes);
  }

  async #read(url: URL, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { clock, transport } = this.#options.service;
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    const cancel = clock.after(mostMs, leave);
    const either = AbortSignal.any([signal, leaving.signal]);
    const headers = { accept: 'image/png, image/jpeg, image/webp' };
    try {
      const http = await transport();
      const reply = await http.send({ method: 'GET', url, headers, signal: either, timeouts });
      return reply.status === 200 ? await atMost(reply.body) : undefined;
    } finally {
      cancel();
      // Nobody reads what a refusal says; a picture that was read to its end is not touched by this.
      leave();
    }
  }

  async #keep(name: string, bytes: Uint8Array): Promise<string> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, bytes);
    await rename(draft, path);
    await this.#tidy();
    return path;
  }

  async #tidy(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder);
    if (names.length <= mostKept) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
    );
    const oldest = aged.toSorted((a, b) => a.at - b.at).slice(0, names.length - mostKept);
    await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })));
  }
}

const hashedName = ({ href }: URL): string =>
  createHash('sha256').update(href).digest('hex').slice(0, 40);

/** Undefined when there is more. */
async function atMost(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** File extensions of the formats that are shown; none of them can hold scripts. */
const extensions: Partial<Record<ImageFileType, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
};

function extensionOf(bytes: Uint8Array): string | undefined {
  const format = detectImageType(bytes);
  return format === undefined ? undefined : extensions[format];
}

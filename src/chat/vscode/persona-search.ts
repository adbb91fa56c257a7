import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Character, CharacterPage, CharacterQuery } from '../../service/characters.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { buildEndpointUrl } from '../../service/http/endpoint.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { isPublicUrl } from '../../service/http/public-url.ts';
import { type ImageFileType, detectImageType } from '../../base/image-format.ts';

/** State of a persona search. */
export interface PersonaResults {
  readonly query: string;
  readonly characters: readonly Character[];
  readonly isLoading: boolean;
  /** True if the service has more results. */
  readonly hasMore: boolean;
  /** Reason why the latest page of results could not be loaded. Absent if the page was loaded. */
  readonly failure?: ServiceFailure;
}

interface SearchOptions {
  readonly clock: Clock;
  readonly listCharacters: (query: CharacterQuery, signal: AbortSignal) => Promise<CharacterPage>;
  /** False to request and return no adult personas. */
  readonly includesAdult: boolean;
  readonly onChange: (results: PersonaResults) => void;
}

const pageSize = 50;
/** Delay in milliseconds between the last change of the typed text and the search. */
const debounceMs = 250;
/** Maximum number of results over all pages. */
const maxResults = 500;

/** Searches personas while the user types, after a short delay. A newer search cancels the previous search. */
export class PersonaSearch {
  readonly #options: SearchOptions;
  #results: PersonaResults = { query: '', characters: [], isLoading: true, hasMore: false };
  #nextPageOffset = 0;
  #hasSearched = false;
  #requestCanceller = new AbortController();
  #cancelDelay: () => void = () => {};

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Searches for the text after a delay, or immediately if the text is empty. */
  search(query: string): void {
    // A quick pick also fires its change event when the extension sets the value, so an unchanged query is ignored.
    if (this.#hasSearched && query === this.#results.query) return;
    this.#hasSearched = true;
    this.#cancelDelay();
    this.#requestCanceller.abort();
    this.#setResults({ query, characters: [], isLoading: true, hasMore: false });
    const start = (): void => void this.#requestPage(0);
    if (query.trim() === '') start();
    else this.#cancelDelay = this.#options.clock.after(debounceMs, start);
  }

  /** Requests the next page of results, or repeats a failed request. */
  loadMore(): void {
    if (this.#results.isLoading) return;
    const { failure: _failure, ...results } = this.#results;
    this.#setResults({ ...results, isLoading: true, hasMore: false });
    void this.#requestPage(this.#nextPageOffset);
  }

  dispose(): void {
    this.#cancelDelay();
    this.#requestCanceller.abort();
  }

  async #requestPage(offset: number): Promise<void> {
    const searchCanceller = new AbortController();
    this.#requestCanceller = searchCanceller;
    const { listCharacters, includesAdult } = this.#options;
    const { query } = this.#results;
    const pageQuery: CharacterQuery = {
      ...{ search: query, limit: pageSize, offset },
      ...(includesAdult ? {} : { isAdult: false }),
    };
    try {
      const page = await listCharacters(pageQuery, searchCanceller.signal);
      if (searchCanceller.signal.aborted) return;
      this.#nextPageOffset = offset + page.recordCount;
      const knownSlugs = new Set(this.#results.characters.map(({ slug }) => slug));
      const newCharacters = page.characters.filter(
        ({ slug, isAdult }) => !knownSlugs.has(slug) && (includesAdult || !isAdult),
      );
      const characters = [...this.#results.characters, ...newCharacters];
      const hasMore = page.recordCount === pageSize && characters.length < maxResults;
      this.#setResults({ query, characters, isLoading: false, hasMore });
    } catch (error) {
      if (searchCanceller.signal.aborted) return;
      const { failure } = toServiceError(error);
      this.#setResults({ ...this.#results, isLoading: false, hasMore: false, failure });
    }
  }

  #setResults(results: PersonaResults): void {
    this.#results = results;
    this.#options.onChange(results);
  }
}

export interface PersonaImagesOptions {
  /** Folder that contains the cached images. */
  readonly folder: string;
  readonly service: ServiceContext;
}

/** Maximum size of a persona image in bytes. */
const maxImageBytes = 2 * 1024 * 1024;
/** Maximum number of cached images. The oldest images are deleted first. */
const maxCachedImages = 300;
const timeouts = { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000 };
/** Time limit for downloading an image, in milliseconds. */
const imageTimeoutMs = 30_000;

/**
 * Disk cache of persona images. Requests images without credentials. Sends requests only to the service, or over
 * HTTPS to public addresses. Stores only known image formats. The page and VS Code never request the image URLs.
 */
export class PersonaImages {
  readonly #options: PersonaImagesOptions;

  constructor(options: PersonaImagesOptions) {
    this.#options = options;
  }

  /** Returns the path of the cached image. Returns `undefined` if the image is unavailable or invalid. Never throws. */
  async fetchImageFile(imageUrl: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const url = await this.#findAllowedUrl(imageUrl);
      if (url === undefined) return undefined;
      return (await this.#findCachedFile(url)) ?? (await this.#fetchImage(url, signal));
    } catch {
      // A missing image needs no error message.
      return undefined;
    }
  }

  /**
   * Returns the URL if it has the service's origin or a public address, otherwise `undefined`. Any user can publish a
   * persona, so another URL could make the extension send requests to a private network.
   */
  async #findAllowedUrl(imageUrl: string): Promise<URL | undefined> {
    if (!URL.canParse(imageUrl)) return undefined;
    const url = new URL(imageUrl);
    if (url.username !== '' || url.password !== '') return undefined;
    const { baseUrl } = await this.#options.service.getEndpoint();
    const isServiceOrigin = url.origin === buildEndpointUrl(baseUrl, '/').origin;
    const isPublic = url.protocol === 'https:' && isPublicUrl(url.href);
    return isServiceOrigin || isPublic ? url : undefined;
  }

  async #findCachedFile(url: URL): Promise<string | undefined> {
    for (const extension of Object.values(extensionsByType)) {
      const path = join(this.#options.folder, `${createHashedName(url)}.${extension}`);
      const isStored = await stat(path).then(
        (fileStats) => fileStats.isFile(),
        () => false,
      );
      if (isStored) return path;
    }
    return undefined;
  }

  async #fetchImage(url: URL, signal: AbortSignal): Promise<string | undefined> {
    const bytes = await this.#readImage(url, signal);
    const extension = bytes === undefined ? undefined : findExtension(bytes);
    if (bytes === undefined || extension === undefined) return undefined;
    return this.#storeImage(`${createHashedName(url)}.${extension}`, bytes);
  }

  async #readImage(url: URL, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { clock, getTransport } = this.#options.service;
    const bodyCanceller = new AbortController();
    const cancelBody = (): void => bodyCanceller.abort();
    const cancel = clock.after(imageTimeoutMs, cancelBody);
    const combinedSignal = AbortSignal.any([signal, bodyCanceller.signal]);
    const headers = { accept: 'image/png, image/jpeg, image/webp' };
    try {
      const httpTransport = await getTransport();
      const reply = await httpTransport.send({
        method: 'GET',
        url,
        headers,
        signal: combinedSignal,
        timeouts,
      });
      return reply.status === 200 ? await readBoundedBody(reply.body) : undefined;
    } finally {
      cancel();
      // Cancels an unread body. Has no effect on a body that was read completely.
      cancelBody();
    }
  }

  async #storeImage(name: string, bytes: Uint8Array): Promise<string> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, bytes);
    await rename(draft, path);
    await this.#deleteOldestFiles();
    return path;
  }

  async #deleteOldestFiles(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder);
    if (names.length <= maxCachedImages) return;
    const imageFiles = await Promise.all(
      names.map(async (name) => ({ name, modifiedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    const oldestFiles = imageFiles
      .toSorted((a, b) => a.modifiedAt - b.modifiedAt)
      .slice(0, names.length - maxCachedImages);
    await Promise.all(oldestFiles.map(({ name }) => rm(join(folder, name), { force: true })));
  }
}

const createHashedName = ({ href }: URL): string =>
  createHash('sha256').update(href).digest('hex').slice(0, 40);

/** Reads a body completely. Returns `undefined` if the body exceeds {@link maxImageBytes}. */
async function readBoundedBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxImageBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** File extensions of the accepted formats. These formats cannot contain scripts. */
const extensionsByType: Partial<Record<ImageFileType, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
};

function findExtension(bytes: Uint8Array): string | undefined {
  const imageType = detectImageType(bytes);
  return imageType === undefined ? undefined : extensionsByType[imageType];
}

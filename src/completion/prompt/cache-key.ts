/**
 * Names a document to the service, so that requests about it reach a machine that remembers the last one. The name is
 * drawn by chance and not made from the path: who knows the name cannot find out whether a path is the right one. It is
 * the same until the process ends, or until many other documents were named.
 */
export const cacheKey = (document: string): string => keys.of(document);

/** The names of one process. */
export class CacheKeys {
  readonly #known = new Map<string, string>();
  readonly #draw: () => string;

  /** @param draw Another text with each call. */
  constructor(draw: () => string = () => crypto.randomUUID()) {
    this.#draw = draw;
  }

  of(document: string): string {
    const key = this.#known.get(document) ?? `completion-${this.#draw()}`;
    this.#known.delete(document);
    this.#known.set(document, key);
    if (this.#known.size > most) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return key;
  }
}

const most = 200;
const keys = new CacheKeys();

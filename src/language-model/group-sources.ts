import { createHmac } from 'node:crypto';
import { type GroupConfiguration, GroupSource, type SourceHost } from './model-source.ts';

/** The groups that VS Code has. Each keeps its source, and with it what its service said, while VS Code asks for it. */
export class GroupSources {
  readonly #host: SourceHost;
  /** By version, those that VS Code asked for since it last began. */
  #current = new Map<string, GroupSource>();
  /** Those of the time before: nobody says which groups are gone, and each is asked for every time. */
  #earlier: ReadonlyMap<string, GroupSource> = new Map();
  /** For versions that tell groups apart, and nothing of their keys. */
  readonly #salt = crypto.getRandomValues(new Uint8Array(16));

  constructor(host: SourceHost) {
    this.#host = host;
  }

  /** VS Code asks for all anew. Those that it has not asked for since the last time are forgotten, with their keys. */
  begin(): void {
    this.#earlier = this.#current;
    this.#current = new Map();
  }

  /** Asks a group for something. It is known from then on, and still when VS Code began anew meanwhile. */
  async ask<T>(
    group: GroupConfiguration,
    something: (source: GroupSource) => Promise<T>,
  ): Promise<T> {
    const version = this.#versionOf(group);
    const source = this.byVersion(version) ?? new GroupSource(this.#host, group, version);
    this.#current.set(version, source);
    try {
      return await something(source);
    } finally {
      this.#current.set(version, source);
    }
  }

  /** The one whose models have this version; undefined for one that is not known. */
  byVersion(version: string): GroupSource | undefined {
    return this.#current.get(version) ?? this.#earlier.get(version);
  }

  #versionOf({ apiKey, baseUrl }: GroupConfiguration): string {
    const made = createHmac('sha256', this.#salt).update(JSON.stringify([apiKey, baseUrl]));
    return `group-${made.digest('hex').slice(0, 16)}`;
  }
}

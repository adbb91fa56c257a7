/** What is known of a path before the rules judge it. Paths have forward slashes on every system. */
export interface PathFacts {
  /** Relative to the workspace folder that contains it; the whole path when none does. */
  readonly path: string;
  /** Whether it lies in a workspace folder, by its name alone. */
  readonly inside: boolean;
  /** The same after all links were followed (of the nearest parent that exists, for what does not yet). */
  readonly realPath: string;
  readonly realInside: boolean;
  /** The last part is a link itself. */
  readonly isLink: boolean;
  readonly kind: 'file' | 'directory' | 'missing' | 'other';
}

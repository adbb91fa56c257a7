import type * as vscode from 'vscode';
import { judgePath } from '../path-rules.ts';
import type { Paths, ResolvedPath } from './agent-paths.ts';
import { placeOfUri } from './place-of-uri.ts';

/**
 * Of which files that the editor names, and no model asked for, a call may tell what is in them: those that it could
 * read without a question. Names alone do not say it, for links lead elsewhere. One for each call: each file is looked
 * at once.
 */
export class ReadableUris {
  readonly #paths: Paths;
  readonly #allowed: ResolvedPath | undefined;
  readonly #known = new Map<string, Promise<boolean>>();

  /** @param allowed A folder that the call was allowed to read. */
  constructor(paths: Paths, allowed?: ResolvedPath) {
    this.#paths = paths;
    this.#allowed = allowed;
  }

  has(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const known = this.#known.get(key) ?? this.#look(uri);
    this.#known.set(key, known);
    return known;
  }

  async #look(uri: vscode.Uri): Promise<boolean> {
    const place = await placeOfUri(this.#paths, uri);
    if (place === undefined) return false;
    return judgePath(place.facts, 'read').decision === 'allow' || this.#isBelowAllowed(place);
  }

  /** In a folder outside the workspace the rules are those inside of it, as if it were one of the workspace. */
  #isBelowAllowed({ facts }: ResolvedPath): boolean {
    const allowed = this.#allowed?.facts;
    if (allowed === undefined || allowed.realInside || facts.realInside) return false;
    const start = `${allowed.realPath.replace(/\/$/u, '')}/`;
    if (!facts.realPath.startsWith(start)) return false;
    const path = facts.realPath.slice(start.length);
    const inside = { ...facts, path, realPath: path, inside: true, realInside: true };
    return judgePath(inside, 'read').decision === 'allow';
  }
}

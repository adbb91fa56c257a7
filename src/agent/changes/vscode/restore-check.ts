import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isPlainTarget, type Restore } from '../restore-plan.ts';
import type { FileSide } from '../turn-record.ts';
import { sensitiveReason } from '../../../workspace/sensitive-files.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { Places, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** A place that no undo may touch, and why. */
export interface PlaceRefusal {
  /** `unplaced`: nobody recorded where the file really was. */
  readonly reason: 'outside' | 'other-workspace' | 'unplaced';
  /** The whole path, also of what is in the workspace by its name only; the address of what is not on disk. */
  readonly place: string;
}

/**
 * Which places of a turn may be changed by an undo. What was recorded is on disk for anyone to write: it is only ever
 * believed about files that are in this workspace, by their name and really.
 */
export class RestorePlaces {
  readonly #paths: Places;
  readonly #turnFolders: readonly string[];

  /** @param turnFolders URIs of the folders that were open when the turn began. They only choose the words. */
  constructor(paths: Places, turnFolders: readonly string[]) {
    this.#paths = paths;
    this.#turnFolders = turnFolders;
  }

  /** By the position of the file. */
  async refusedOf(restores: readonly Restore[]): Promise<ReadonlyMap<number, PlaceRefusal>> {
    const all = await Promise.all(restores.map((restore) => this.#refusalOfFile(restore)));
    return new Map(all.flatMap((refusal, index) => (refusal ? [[index, refusal] as const] : [])));
  }

  /** @param name The URI of a file or a folder. */
  async refusalOf(name: string): Promise<PlaceRefusal | undefined> {
    if (await this.#isInside(name)) return undefined;
    const isOther = this.#turnFolders.some((folder) => name.startsWith(`${folder}/`));
    return { reason: isOther ? 'other-workspace' : 'outside', place: fullPath(name) };
  }

  /** Whether other programs act on one of the file's places. Judged within its folder: where that is tells nothing. */
  async isSensitive({ from, to }: Restore): Promise<boolean> {
    for (const side of [from, to]) {
      const found = side === null ? undefined : await this.#find(vscode.Uri.parse(side.uri));
      const paths = found === undefined ? [] : [found.facts.path, found.facts.realPath];
      if (paths.some((path) => sensitiveReason(path) !== undefined)) return true;
    }
    return false;
  }

  async #refusalOfFile({ from, to }: Restore): Promise<PlaceRefusal | undefined> {
    for (const side of [from, to]) {
      if (side === null) continue;
      const refusal = (await this.refusalOf(side.uri)) ?? this.#refusalOfRecord(side);
      if (refusal !== undefined) return refusal;
    }
    return to?.kept.link === undefined ? undefined : this.#refusalOfLink(to, to.kept.link);
  }

  #refusalOfRecord({ uri, kept }: FileSide): PlaceRefusal | undefined {
    const isMissing = vscode.Uri.parse(uri).scheme === 'file' && kept.realPath === undefined;
    return isMissing ? { reason: 'unplaced', place: fullPath(uri) } : undefined;
  }

  async #refusalOfLink({ uri, kept }: FileSide, link: string): Promise<PlaceRefusal | undefined> {
    // The plan makes sure that the folder really is the one that was recorded.
    const target = resolve(dirname(kept.realPath ?? '/'), link);
    if (isPlainTarget(link) && (await this.#find(vscode.Uri.file(target)))) return undefined;
    return { reason: 'outside', place: `${fullPath(uri)} → ${link}` };
  }

  async #isInside(name: string): Promise<boolean> {
    const uri = vscode.Uri.parse(name);
    // Another spelling of a place would pass for another file.
    if (uri.toString() !== name) return false;
    const found = await this.#find(uri);
    return found !== undefined && found.uri.toString() === name && found.facts.path !== '';
  }

  async #find(uri: vscode.Uri): Promise<ResolvedPath | undefined> {
    try {
      const found = await this.#paths.locate(uri);
      return found.facts.inside && found.facts.realInside ? found : undefined;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}

/** As the person may look for it. */
export function fullPath(name: string): string {
  const uri = vscode.Uri.parse(name);
  return uri.scheme === 'file' ? resolve(uri.fsPath) : name;
}

import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { importLimits, importsOf } from '../imports.ts';
import { outlineOf } from '../outline.ts';
import { CursorRest, type RestingPlace } from './cursor-rest.ts';
import { type FileRules, shareableText } from './file-rules.ts';
import { importPlaces } from './import-locations.ts';
import { KnownPieces, type Piece, type PieceSource } from './snippet-cache.ts';
import { pathOfFile } from '../../../workspace/vscode/documents.ts';
import { textBehind } from '../text-lines.ts';

/** Milliseconds that the cursor rests before files are read. */
const restMs = 300;
const mostImports = 8;

/** What the files offer that a document imports by their place. They are read while the cursor rests, and not opened. */
export class ImportedOutlines implements PieceSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #known: KnownPieces;
  /** What each document imports, as it was read last. */
  readonly #imports = new WeakMap<vscode.TextDocument, readonly string[]>();

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#known = new KnownPieces(clock);
    const rest = this.#owned.add(
      new CursorRest({ clock, ms: restMs, rested: (place) => this.#gather(place) }),
    );
    const { workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => this.#known.changed(document.uri)),
    );
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#known.closed(uri)));
    this.#owned.add(
      rules.onDidChange(() => {
        this.#known.clear();
        rest.begin();
      }),
    );
  }

  pieces(document: vscode.TextDocument): readonly Piece[] {
    const imports = this.#imports.get(document) ?? [];
    return imports.flatMap((specifier) => this.#known.piece(document.uri, specifier) ?? []);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#known.clear();
  }

  /** Never rejects: what cannot be read is not there. */
  async #gather({ document, isHere }: RestingPlace): Promise<void> {
    if (!this.#rules.isShareable(document.uri)) await this.#rules.judged(document.uri);
    // The imports of a file from elsewhere may lead anywhere.
    if (!this.#rules.isShareable(document.uri)) return;
    const start = textBehind(document, { line: 0, character: 0 }, importLimits.characters);
    const imports = importsOf(document.languageId, start)
      .filter(({ isRelative }) => isRelative)
      .map(({ specifier }) => specifier)
      .slice(0, mostImports);
    this.#imports.set(document, imports);
    for (const specifier of imports) {
      if (!isHere()) return;
      if (!this.#known.isDue(document.uri, specifier)) continue;
      const asked = this.#known.now();
      const piece = await this.#find(document, specifier);
      this.#known.set(document.uri, specifier, { piece, asked });
    }
  }

  async #find(
    { uri, languageId }: vscode.TextDocument,
    specifier: string,
  ): Promise<Piece | undefined> {
    for (const path of importPlaces(languageId, specifier, uri.path)) {
      const place = uri.with({ path });
      if (vscode.workspace.getWorkspaceFolder(place) === undefined || !(await isFile(place)))
        continue;
      const text = (await shareableText(this.#rules, place)) ?? '';
      const outline = outlineOf(languageId, text);
      if (outline === '') return undefined;
      return { uri: place, part: { kind: 'import', path: pathOfFile(place), text: outline } };
    }
    return undefined;
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Host } from '../../host.ts';
import { onDidChangeSettings, getSetting } from '../../platform/settings.ts';
import type { PastedImage } from './paste-edit.ts';

/**
 * Registers the paste and drop provider for Markdown and MDX. The provider is registered only while its setting is on.
 */
export function registerPastedImages(host: Host): Disposable {
  const disposables = new DisposableStore();
  let registrations: DisposableStore | undefined;
  const update = (): void => {
    const isEnabled = getSetting('inferenceService.image.describePasted');
    if (isEnabled === (registrations !== undefined)) return;
    registrations?.dispose();
    registrations = isEnabled ? registerProviders(host) : undefined;
  };
  disposables.add(onDidChangeSettings(['inferenceService.image.describePasted'], update));
  disposables.add({ dispose: () => registrations?.dispose() });
  update();
  return disposables;
}

function registerProviders(host: Host): DisposableStore {
  const disposables = new DisposableStore();
  const provider = new PastedImageProvider(host);
  disposables.add(
    vscode.languages.registerDocumentPasteEditProvider(selector, provider, {
      providedPasteEditKinds: [provider.kind],
      pasteMimeTypes: ['image/*'],
    }),
  );
  disposables.add(
    vscode.languages.registerDocumentDropEditProvider(selector, provider, {
      providedDropEditKinds: [provider.kind],
      dropMimeTypes: ['image/*'],
    }),
  );
  return disposables;
}

const selector: vscode.DocumentSelector = [{ language: 'markdown' }, { language: 'mdx' }];

type PasteOrDropEdit = vscode.DocumentPasteEdit | vscode.DocumentDropEdit;

/**
 * Paste and drop provider that adds a description to images. Requests the description only when the user applies the
 * edit, because each description costs money.
 */
export class PastedImageProvider
  implements vscode.DocumentPasteEditProvider, vscode.DocumentDropEditProvider
{
  readonly kind = vscode.DocumentDropOrPasteEditKind.Empty.append('markdown', 'image', 'described');
  readonly #host: Host;
  readonly #pastedImages = new WeakMap<PasteOrDropEdit, PastedImage>();

  constructor(host: Host) {
    this.#host = host;
  }

  async provideDocumentPasteEdits(
    document: vscode.TextDocument,
    _ranges: readonly vscode.Range[],
    data: vscode.DataTransfer,
  ): Promise<vscode.DocumentPasteEdit[]> {
    const pastedImage = await this.#readImage(data, document);
    if (pastedImage === undefined) return [];
    const edit = new vscode.DocumentPasteEdit('', getEditTitle(), this.kind);
    this.#pastedImages.set(edit, pastedImage);
    return [edit];
  }

  async provideDocumentDropEdits(
    document: vscode.TextDocument,
    _position: vscode.Position,
    data: vscode.DataTransfer,
  ): Promise<vscode.DocumentDropEdit[]> {
    const pastedImage = await this.#readImage(data, document);
    if (pastedImage === undefined) return [];
    const edit = new vscode.DocumentDropEdit('', getEditTitle(), this.kind);
    this.#pastedImages.set(edit, pastedImage);
    return [edit];
  }

  resolveDocumentPasteEdit(
    edit: vscode.DocumentPasteEdit,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentPasteEdit> {
    return this.#resolveEdit(edit, token);
  }

  resolveDocumentDropEdit(
    edit: vscode.DocumentDropEdit,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentDropEdit> {
    return this.#resolveEdit(edit, token);
  }

  async #readImage(
    data: vscode.DataTransfer,
    document: vscode.TextDocument,
  ): Promise<PastedImage | undefined> {
    const { readPastedImage: readPasted } = await import('./paste-edit.ts');
    return readPasted(data, document);
  }

  async #resolveEdit<T extends PasteOrDropEdit>(
    edit: T,
    token: vscode.CancellationToken,
  ): Promise<T> {
    const pastedImage = this.#pastedImages.get(edit);
    if (pastedImage === undefined) return edit;
    const { createPasteEdit: createEdit } = await import('./paste-edit.ts');
    return Object.assign(edit, await createEdit(this.#host, systemClock, pastedImage, token));
  }
}

const getEditTitle = (): string => vscode.l10n.t('Insert image with alt text');

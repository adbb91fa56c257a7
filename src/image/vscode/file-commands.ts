import { posix } from 'node:path';
import * as vscode from 'vscode';
import { truncateText } from '../image-text.ts';
import type { Price } from '../../service/model-types.ts';
import { formatPrice } from '../../service/pricing.ts';
import { type Action, showWithActions, showInformation } from '../../platform/notifications.ts';
import { authorizeFolder } from './image-location.ts';
import { ImageSourceError } from './image-failure.ts';
import { type ImageServices, runWithProgress } from './image-services.ts';
import type { ImageOperation } from './plan-image.ts';
import { confirmModerated } from './insert-image.ts';
import { saveImage } from './save-image.ts';

export interface FileOperation {
  readonly operation: ImageOperation;
  readonly title: string;
  /** Suffix for the name of the new file: `2x` changes `logo` to `logo-2x`. */
  readonly suffix: string;
  readonly price?: Price;
}

/**
 * Processes an image file of the workspace and saves the result in the same folder. Does not change the original file.
 */
export async function processFile(
  parts: ImageServices,
  file: vscode.Uri,
  fileOperation: FileOperation,
): Promise<void> {
  const folder = await authorizeFolder(vscode.Uri.joinPath(file, '..'));
  if (folder === undefined) return;
  const { operation, price } = fileOperation;
  const { records, failure } = await runWithProgress(parts, {
    title: [fileOperation.title, formatPrice(price)].filter((part) => part !== '').join(' · '),
    task: { operation, ...(price === undefined ? {} : { price }) },
  });
  if (failure !== undefined) {
    const retry = (): Promise<void> => processFile(parts, file, fileOperation);
    return parts.showFailure(failure, { retry });
  }
  const [record] = records;
  if (record === undefined || !(await confirmModerated(parts, record))) return;
  const saved = await saveImage(parts, record, folder, stemFor(file, fileOperation));
  if (saved !== undefined) await notifySaved(saved);
}

/** Returns the name of the new file without extension. Truncates the original name so that the suffix fits. */
const stemFor = ({ path }: vscode.Uri, { suffix }: FileOperation): string =>
  `${truncateText(posix.basename(path, posix.extname(path)), 32)}-${suffix}`;

async function notifySaved(saved: vscode.Uri): Promise<void> {
  const open: Action = {
    label: vscode.l10n.t('Open'),
    run: () => vscode.commands.executeCommand('vscode.open', saved),
  };
  const label = vscode.workspace.asRelativePath(saved);
  await showWithActions(showInformation, vscode.l10n.t('Saved as {0}.', label), [open]);
}

/** Returns the file from an Explorer command, else the image in the active tab. */
export function resolveClickedFile(resource: unknown): vscode.Uri {
  if (resource instanceof vscode.Uri) return resource;
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const input: unknown = activeTab?.input;
  if (input instanceof vscode.TabInputCustom) return input.uri;
  throw new ImageSourceError(vscode.l10n.t('Choose a picture in the explorer first.'));
}

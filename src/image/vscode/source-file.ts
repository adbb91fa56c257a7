import * as vscode from 'vscode';
import { isOnDisk } from '../../workspace/vscode/real-paths.ts';
import { readRegularFile } from '../../platform/files.ts';
import { ImageSourceError } from './image-failure.ts';

/** What the service takes is smaller, in bytes. */
export const mostSourceBytes = 25 * 1024 * 1024;

/**
 * Reads a file that may be a picture.
 * @param first So many bytes of its beginning are enough; other file systems give all of it.
 * @throws ImageSourceError when it is gone, no file, empty or too large
 */
export async function readSourceFile(uri: vscode.Uri, first?: number): Promise<Uint8Array> {
  if (!isOnDisk(uri)) return readVirtualFile(uri);
  const longest = mostSourceBytes - 1;
  const read = await readRegularFile(uri.fsPath, {
    longest,
    ...(first === undefined ? {} : { first }),
  }).catch(() => {
    throw gone();
  });
  if (typeof read !== 'string') return read;
  throw read === 'too-long' ? tooLarge() : noPicture();
}

async function readVirtualFile(uri: vscode.Uri): Promise<Uint8Array> {
  const { fs } = vscode.workspace;
  const { type, size } = await Promise.resolve(fs.stat(uri)).catch(() => {
    throw gone();
  });
  // A link to a file is both.
  if ((type & vscode.FileType.File) === 0 || size <= 0) throw noPicture();
  if (size >= mostSourceBytes) throw tooLarge();
  return fs.readFile(uri);
}

export const gone = (): ImageSourceError =>
  new ImageSourceError(vscode.l10n.t('The picture is not there any more. Choose another one.'));

export const noPicture = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The file is no PNG, JPEG or WebP picture. Choose another one.'),
  );

export const tooLarge = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The picture is larger than 25 MB, which the service does not take.'),
  );

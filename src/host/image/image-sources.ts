import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { headerLength, isTooLargePicture, readImageHeader } from '../../image/image-header.ts';
import type { ImageSourceName } from '../../image/image-record.ts';
import type { Gallery } from './gallery.ts';
import { ImageSourceError } from './image-failure.ts';

/**
 * The bytes of a picture that is to be worked on.
 * @throws ImageSourceError when it is gone, too large, of too many pixels or no picture
 */
export type ReadImageSource = (source: ImageSourceName) => Promise<Uint8Array>;

/** What the service takes at most. */
const mostBytes = 25 * 1024 * 1024;

/** Reads pictures of the gallery and files of any file system. */
export function imageSources(gallery: Gallery): ReadImageSource {
  return async (source) => {
    const bytes = await (source.type === 'gallery'
      ? readFromGallery(gallery, source.id)
      : readFromFile(vscode.Uri.parse(source.uri, true)));
    if (bytes.length >= mostBytes) throw tooLarge();
    const head = bytes.subarray(0, headerLength);
    if (isTooLargePicture(head)) throw tooManyPixels();
    if (readImageHeader(head) === undefined) {
      throw new ImageSourceError(
        vscode.l10n.t('The file is no PNG, JPEG or WebP picture. Choose another one.'),
      );
    }
    return bytes;
  };
}

async function readFromGallery(gallery: Gallery, id: string): Promise<Uint8Array> {
  const record = await gallery.find(id);
  if (record === undefined) throw gone();
  return readFile(gallery.picturePath(record)).catch(() => {
    throw gone();
  });
}

async function readFromFile(uri: vscode.Uri): Promise<Uint8Array> {
  const { size } = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => {
    throw gone();
  });
  if (size >= mostBytes) throw tooLarge();
  return vscode.workspace.fs.readFile(uri);
}

const gone = (): ImageSourceError =>
  new ImageSourceError(vscode.l10n.t('The picture is not there any more. Choose another one.'));

const tooLarge = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The picture is larger than 25 MB, which the service does not take.'),
  );

export const tooManyPixels = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The picture has more than 100 million pixels. Choose a smaller one.'),
  );

import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { headerLength, isTooLargePicture, readImageHeader } from '../image-header.ts';
import type { ImageSourceName } from '../image-record.ts';
import { fileToSend } from './consent.ts';
import type { Gallery } from './gallery.ts';
import { ImageSourceError } from './image-failure.ts';
import { gone, mostSourceBytes, noPicture, readSourceFile, tooLarge } from './source-file.ts';

/**
 * The bytes of a picture that is to be worked on.
 * @throws ImageSourceError when it is gone, too large, of too many pixels, no picture, or may not be sent
 */
export type ReadImageSource = (source: ImageSourceName) => Promise<Uint8Array>;

/** Reads pictures of the gallery and files of any file system. */
export function imageSources(gallery: Gallery): ReadImageSource {
  return async (source) => {
    const bytes = await (source.type === 'gallery'
      ? readFromGallery(gallery, source.id)
      : readFromFile(vscode.Uri.parse(source.uri, true)));
    if (bytes.length >= mostSourceBytes) throw tooLarge();
    const head = bytes.subarray(0, headerLength);
    if (isTooLargePicture(head)) throw tooManyPixels();
    if (readImageHeader(head) === undefined) throw noPicture();
    return bytes;
  };
}

async function readFromFile(uri: vscode.Uri): Promise<Uint8Array> {
  const file = await fileToSend(uri).catch((error: unknown) => {
    throw error instanceof ImageSourceError ? error : gone();
  });
  return readSourceFile(file);
}

async function readFromGallery(gallery: Gallery, id: string): Promise<Uint8Array> {
  const record = await gallery.find(id);
  if (record === undefined) throw gone();
  return readFile(gallery.picturePath(record)).catch(() => {
    throw gone();
  });
}

export const tooManyPixels = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The picture has more than 100 million pixels. Choose a smaller one.'),
  );

/**
 * Puts the picture at `src` on the clipboard as PNG, the one format that every clipboard takes.
 * Rejects when the picture does not load or the editor refuses.
 */
export async function copyPicture(src: string): Promise<void> {
  // The promise goes into the item: the permission belongs to the key or click that still runs.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawnAsPng(src) })]);
}

async function drawnAsPng(src: string): Promise<Blob> {
  const image = await loadPicture(src);
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

/** A decoded picture whose pixels may be read. Rejects when it cannot be loaded. */
export async function loadPicture(src: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.decoding = 'async';
  image.src = src;
  await image.decode();
  return image;
}

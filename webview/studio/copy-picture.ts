/**
 * Puts the picture at `src` on the clipboard as PNG, the one format that every clipboard takes.
 * Rejects when the picture does not load or is too large, and when the editor refuses.
 */
export async function copyPicture(src: string): Promise<void> {
  // The promise goes into the item: the permission belongs to the key or click that still runs.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawnAsPng(src) })]);
}

/** A picture as PNG is drawn first, at four bytes for each pixel. */
const mostCopiedPixels = 100_000_000;

async function drawnAsPng(src: string): Promise<Blob> {
  const image = await loadPicture(src, mostCopiedPixels);
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

/** A picture whose pixels may be read. Rejects when it cannot be loaded, or has more than `mostPixels`. */
export async function loadPicture(src: string, mostPixels: number): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  await new Promise((resolve, reject) => {
    image.addEventListener('load', resolve);
    image.addEventListener('error', reject);
    image.src = src;
  });
  // Only its header was read. Whoever draws it decodes it: done here, it would be decoded twice.
  if (image.naturalWidth * image.naturalHeight > mostPixels) throw new Error('Too many pixels');
  return image;
}

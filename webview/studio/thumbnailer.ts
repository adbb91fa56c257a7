import type { ImageView } from '../../src/image/studio/protocol/gallery.ts';
import { maxThumbnailBytes, thumbnailSidePx } from '../../src/image/studio/protocol/messages.ts';
import type { StudioPost } from './store.ts';

/**
 * Copies an image to the clipboard as PNG, which every clipboard supports.
 * @throws if the image cannot be loaded or is too large, or if clipboard access is denied
 */
export async function copyImage(src: string): Promise<void> {
  // Clipboard access is allowed only during the key press or click, so the item receives the pending promise.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawAsPng(src) })]);
}

/** Maximum number of pixels of an image to copy. The canvas takes four bytes per pixel. */
const maxCopiedPixels = 100_000_000;

async function drawAsPng(src: string): Promise<Blob> {
  const image = await loadImage(src, maxCopiedPixels);
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

/**
 * Loads an image so that scripts can read its pixels.
 * @throws if the image cannot be loaded or has more than `maxPixels` pixels
 */
export async function loadImage(src: string, maxPixels: number): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  await new Promise((resolve, reject) => {
    image.addEventListener('load', resolve);
    image.addEventListener('error', reject);
    image.src = src;
  });
  // Loading reads only the header. Decoding here would decode the image twice.
  if (image.naturalWidth * image.naturalHeight > maxPixels) throw new Error('Too many pixels');
  return image;
}

interface ThumbnailerContext {
  readonly post: StudioPost;
  /** Called when a thumbnail is created or could not be created. */
  readonly onChange: () => void;
}

type ThumbnailSource = Pick<ImageView, 'id' | 'src' | 'width' | 'height'>;

/** Maximum number of thumbnails created at the same time, so that one image loads while another is drawn. */
const maxConcurrentThumbnails = 2;
const webpQualities = [0.8, 0.6, 0.4];
/**
 * Maximum number of pixels of an image for which a thumbnail is created. A larger image needs more than 160 MB of
 * memory when decoded.
 */
const maxThumbnailPixels = 40_000_000;

/** Creates missing thumbnails of visible images while the page is idle. Sends them to the host. */
export class Thumbnailer {
  readonly #context: ThumbnailerContext;
  readonly #urls = new Map<string, string>();
  readonly #attemptedIds = new Set<string>();
  #queue: readonly ThumbnailSource[] = [];
  #runningCount = 0;

  constructor(context: ThumbnailerContext) {
    this.#context = context;
  }

  /**
   * Replaces the queue with the visible images. Omits images that are too large, and images for which a thumbnail was
   * already attempted.
   */
  setQueue(images: readonly ThumbnailSource[]): void {
    this.#queue = images.filter(
      (image) => !this.#attemptedIds.has(image.id) && !isHugeImage(image),
    );
    this.#createNextThumbnail();
  }

  /**
   * Returns the URI of the image's thumbnail, or of the full image if its thumbnail could not be created. Returns
   * undefined while the thumbnail is missing.
   */
  getSource({ id, src, thumb }: ImageView): string | undefined {
    return thumb ?? this.#urls.get(id) ?? (this.#failedIds.has(id) ? src : undefined);
  }

  readonly #failedIds = new Set<string>();

  #createNextThumbnail(): void {
    if (this.#runningCount >= maxConcurrentThumbnails) return;
    const image = this.#queue.find(({ id }) => !this.#attemptedIds.has(id));
    if (image === undefined) return;
    this.#attemptedIds.add(image.id);
    this.#runningCount += 1;
    void this.#createThumbnail(image).finally(() => {
      this.#runningCount -= 1;
      this.#context.onChange();
      this.#createNextThumbnail();
    });
    this.#createNextThumbnail();
  }

  async #createThumbnail(image: ThumbnailSource): Promise<void> {
    try {
      const blob = await createThumbnail(image);
      this.#urls.set(image.id, URL.createObjectURL(blob));
      const bytes = new Uint8Array(await blob.arrayBuffer());
      this.#context.post({ type: 'thumbnail-made', id: image.id, bytes });
    } catch {
      this.#failedIds.add(image.id);
    }
  }
}

const isHugeImage = ({ width, height }: ThumbnailSource): boolean =>
  width * height > maxThumbnailPixels;

async function createThumbnail({ src, width, height }: ThumbnailSource): Promise<Blob> {
  const imageBlob = await fetchImage(src, maxThumbnailPixels);
  await waitUntilIdle();
  const scale = Math.min(1, thumbnailSidePx / Math.max(width, height));
  const [resizeWidth, resizeHeight] = [width, height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  );
  // The browser decodes a blob on another thread, but an image element on this thread.
  const bitmap = await createImageBitmap(imageBlob, {
    ...(resizeWidth === undefined ? {} : { resizeWidth }),
    ...(resizeHeight === undefined ? {} : { resizeHeight }),
    resizeQuality: 'medium',
  });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return encodeThumbnail(canvas);
}

/**
 * Loads an image file without decoding it.
 * @throws if the file cannot be loaded or the image has more than `maxPixels` pixels
 */
async function fetchImage(src: string, maxPixels: number): Promise<Blob> {
  const response = await fetch(src);
  if (!response.ok) throw new Error(`Status ${response.status}`);
  const file = await response.blob();
  const url = URL.createObjectURL(file);
  try {
    await loadImage(url, maxPixels);
  } finally {
    URL.revokeObjectURL(url);
  }
  return file;
}

/**
 * Encodes a thumbnail as WebP.
 * @throws if the thumbnail exceeds the size limit even at the lowest quality
 */
async function encodeThumbnail(canvas: OffscreenCanvas): Promise<Blob> {
  for (const quality of webpQualities) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the first quality nearly always fits
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
    if (blob.size <= maxThumbnailBytes) return blob;
  }
  throw new Error('The thumbnail is too large');
}

const waitUntilIdle = (): Promise<unknown> =>
  new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));

import type { ImageView } from '../../src/image/studio/protocol/state.ts';
import { maxThumbnailBytes, thumbnailSide } from '../../src/image/studio/protocol/messages.ts';
import type { StudioPost } from './store.ts';

/**
 * Puts the image at `src` on the clipboard as PNG, the one format that every clipboard takes.
 * Rejects when the image does not load or is too large, and when the editor refuses.
 */
export async function copyPicture(src: string): Promise<void> {
  // The promise goes into the item: the permission belongs to the key or click that still runs.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawnAsPng(src) })]);
}

/** An image as PNG is drawn first, at four bytes for each pixel. */
const mostCopiedPixels = 100_000_000;

async function drawnAsPng(src: string): Promise<Blob> {
  const image = await loadPicture(src, mostCopiedPixels);
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

/** An image whose pixels may be read. Rejects when it cannot be loaded, or has more than `mostPixels`. */
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

interface ThumbnailerContext {
  readonly post: StudioPost;
  /** One more can be shown, or cannot be made. */
  readonly onChange: () => void;
}

type Wanted = Pick<ImageView, 'id' | 'src' | 'width' | 'height'>;

/** One draws while the next one loads. */
const atOnce = 2;
const qualities = [0.8, 0.6, 0.4];
/** Decoded, a larger image would take more than 160 MB: it is shown only where it is asked for. */
const mostPixels = 40_000_000;

/** Makes small copies of the images in sight that have none, when nothing else is to do, and gives them to the host. */
export class Thumbnailer {
  readonly #context: ThumbnailerContext;
  readonly #urls = new Map<string, string>();
  readonly #tried = new Set<string>();
  #wanted: readonly Wanted[] = [];
  #running = 0;

  constructor(context: ThumbnailerContext) {
    this.#context = context;
  }

  /** Replaces what is wanted: what went out of sight before its turn is not made. */
  want(images: readonly Wanted[]): void {
    this.#wanted = images.filter((image) => !this.#tried.has(image.id) && !isHuge(image));
    this.#next();
  }

  /** Where an image's thumbnail can be shown from until the host has it; the image itself when it cannot be made. Of a huge one there is none. */
  srcOf({ id, src, thumb }: ImageView): string | undefined {
    return thumb ?? this.#urls.get(id) ?? (this.#failed.has(id) ? src : undefined);
  }

  readonly #failed = new Set<string>();

  #next(): void {
    if (this.#running >= atOnce) return;
    const image = this.#wanted.find(({ id }) => !this.#tried.has(id));
    if (image === undefined) return;
    this.#tried.add(image.id);
    this.#running += 1;
    void this.#make(image).finally(() => {
      this.#running -= 1;
      this.#context.onChange();
      this.#next();
    });
    this.#next();
  }

  async #make(image: Wanted): Promise<void> {
    try {
      const blob = await smallCopy(image);
      this.#urls.set(image.id, URL.createObjectURL(blob));
      const bytes = new Uint8Array(await blob.arrayBuffer());
      this.#context.post({ type: 'thumbnail-made', id: image.id, bytes });
    } catch {
      this.#failed.add(image.id);
    }
  }
}

const isHuge = ({ width, height }: Wanted): boolean => width * height > mostPixels;

async function smallCopy({ src, width, height }: Wanted): Promise<Blob> {
  const picture = await loadPicture(src, mostPixels);
  await idle();
  const scale = Math.min(1, thumbnailSide / Math.max(width, height));
  const [resizeWidth, resizeHeight] = [width, height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  );
  const bitmap = await createImageBitmap(picture, {
    ...(resizeWidth === undefined ? {} : { resizeWidth }),
    ...(resizeHeight === undefined ? {} : { resizeHeight }),
    resizeQuality: 'medium',
  });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return smallEnough(canvas);
}

/** Rejects when even the coarsest is too large to be a thumbnail. */
async function smallEnough(canvas: OffscreenCanvas): Promise<Blob> {
  for (const quality of qualities) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- nearly always the first one fits
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
    if (blob.size <= maxThumbnailBytes) return blob;
  }
  throw new Error('No small copy');
}

const idle = (): Promise<unknown> =>
  new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));

import type { Disposable } from '../base/disposable.ts';
import type { Host } from './host.ts';
import type { Images } from './image/images.ts';

/** A part of the extension: registers what it needs and lets it go again. */
export interface Contributed extends Disposable {
  /** Called when the window closes, before `dispose`: resolves when nothing can be lost any more. */
  close?(): Promise<void>;
}

/** Starts a part. One that fails is logged; the others start all the same. */
export function guarded(
  contribute: (host: Host, images: Images) => Contributed,
  host: Host,
  images: Images,
): Contributed {
  try {
    return contribute(host, images);
  } catch (error) {
    host.log.error(`${contribute.name} failed`, error);
    return { dispose: () => {} };
  }
}

import type { Disposable } from '../base/disposable.ts';
import type { InlineSuggestions } from '../completion/vscode/inline-suggestions.ts';
import type { Host } from '../host.ts';
import type { Images } from '../image/vscode/images.ts';

/** A part of the extension: registers what it needs and lets it go again. */
export interface Contributed extends Disposable {
  /** Called when the window closes, before `dispose`: resolves when nothing can be lost any more. */
  close?(): Promise<void>;
}

/** What the parts share. */
type Shared = readonly [host: Host, images: Images, suggestions: InlineSuggestions];

/** Starts a part. One that fails is logged; the others start all the same. */
export function guarded(
  contribute: (...shared: Shared) => Contributed,
  ...shared: Shared
): Contributed {
  try {
    return contribute(...shared);
  } catch (error) {
    shared[0].log.error(`${contribute.name} failed`, error);
    return { dispose: () => {} };
  }
}

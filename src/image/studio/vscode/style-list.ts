import type { Disposable } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { StudioStyles } from '../protocol/state.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { listImageStyles } from '../../../service/images/image-calls.ts';
import { networkFailure } from '../../../service/http/network-failure.ts';

/** The style presets of the service (spec §4.6), asked for when somebody looks at them. */
export class StyleList implements Disposable {
  readonly #service: ServiceContext;
  readonly #changes = new Emitter<void>();
  #view: StudioStyles = { status: 'unasked', names: [], problem: null };
  #loads = 0;

  constructor(service: ServiceContext) {
    this.#service = service;
  }

  readonly onDidChange: Event<void> = (listener) => this.#changes.event(listener);

  get view(): StudioStyles {
    return this.#view;
  }

  /** Never throws: a failure is shown in the list's place. */
  async load(): Promise<void> {
    const load = ++this.#loads;
    this.#set({ status: 'loading', names: [], problem: null });
    try {
      const signal = AbortSignal.timeout(30_000);
      const names = await listImageStyles(this.#service, { signal });
      if (load === this.#loads) this.#set({ status: 'ready', names: [...names], problem: null });
    } catch (error) {
      const { message } = networkFailure(error).failure;
      if (load === this.#loads) this.#set({ status: 'failed', names: [], problem: message });
    }
  }

  /** Another profile can have other styles. */
  forget(): void {
    this.#loads++;
    this.#set({ status: 'unasked', names: [], problem: null });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #set(view: StudioStyles): void {
    this.#view = view;
    this.#changes.fire();
  }
}

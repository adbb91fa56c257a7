import type { Clock } from '../../src/base/clock.ts';
import type { CreateDraft, EditDraft, StudioCheck } from '../../src/image/studio/protocol/form.ts';
import { getPriceKey } from './form-rules.ts';
import type { State, StudioPost } from './store.ts';
import type { SavedStudio } from './saved.ts';

export type FormMode = 'create' | 'edit';

interface DraftsContext {
  readonly post: StudioPost;
  readonly savedState: SavedStudio;
  readonly clock: Clock;
  readonly onChange: () => void;
}

type Studio = NonNullable<State['studio']>;

const sendDelayMs = 120;

/**
 * The user's drafts of the create form and the edit form. A message from the host replaces a draft only if its type
 * ends with `-set`, such as `create-set`.
 */
export class Drafts {
  readonly #context: DraftsContext;
  #studio: Studio | undefined;
  #createDraft: CreateDraft | undefined;
  #editDraft: EditDraft | undefined;
  #changeNumber = 0;
  /** Ids of the input images that the page requested from the host after a restart of the host. */
  #requestedInputIds: readonly string[] = [];
  /**
   * Price keys of the drafts that were sent to the host, by the `seq` of the message. The key of a draft is removed
   * when the host has checked a later draft.
   */
  readonly #priceKeysByChange = new Map<number, string>();
  #cancelSend: (() => void) | undefined;

  constructor(context: DraftsContext) {
    this.#context = context;
  }

  get create(): CreateDraft | undefined {
    return this.#createDraft;
  }

  get edit(): EditDraft | undefined {
    return this.#editDraft;
  }

  /** Active form: `edit` if at least one input image is selected, otherwise `create`. */
  get mode(): FormMode {
    return (this.#studio?.inputs.length ?? 0) > 0 ? 'edit' : 'create';
  }

  /** True if there are input images, and the host restored all of them after a restart. */
  get areInputsRestored(): boolean {
    const inputs = this.#studio?.inputs ?? [];
    return inputs.length > 0 && inputs.every(({ id }) => this.#requestedInputIds.includes(id));
  }

  /** Result of the host's last check of the active form. The form may have changed since the checked draft was sent. */
  get check(): StudioCheck | undefined {
    const check = this.#studio?.check ?? undefined;
    return check?.mode === this.mode ? check : undefined;
  }

  /** True if the price in {@link check} applies to the current draft. */
  get isPriceCurrent(): boolean {
    const { check } = this;
    return check !== undefined && this.#priceKeysByChange.get(check.seq) === this.#createPriceKey();
  }

  /** Applies a new studio state from the host. */
  applyStudio(studio: Studio): void {
    const previousStudio = this.#studio;
    this.#studio = studio;
    if (studio.create !== previousStudio?.create) this.#createDraft = studio.create;
    if (studio.edit !== previousStudio?.edit) this.#editDraft = studio.edit;
    if (previousStudio === undefined) this.#priceKeysByChange.set(0, this.#createPriceKey());
    for (const seq of this.#priceKeysByChange.keys())
      if (seq < (studio.check?.seq ?? 0)) this.#priceKeysByChange.delete(seq);
    if (previousStudio === undefined && !studio.hasCurrentDrafts) this.#restoreDrafts();
    if (studio.models !== previousStudio?.models) this.#selectSuggestedModel(studio.models);
    const { inputs } = studio;
    if (previousStudio !== undefined && inputs !== previousStudio.inputs) {
      // The restored inputs arrived. Inputs that arrive later were chosen by the user, even if they are the same.
      if (previousStudio.inputs.length > 0) this.#requestedInputIds = [];
      this.#context.savedState.save({ inputs: inputs.map(({ id }) => id) });
    }
    const isSet =
      previousStudio !== undefined &&
      (studio.create !== previousStudio.create || studio.edit !== previousStudio.edit);
    if (isSet || (previousStudio !== undefined && inputs !== previousStudio.inputs))
      this.#scheduleSend();
  }

  changeCreateDraft(changes: Partial<CreateDraft>): void {
    if (this.#createDraft === undefined) return;
    this.#createDraft = { ...this.#createDraft, ...changes };
    this.#onChange();
  }

  changeEditDraft(changes: Partial<EditDraft>): void {
    if (this.#editDraft === undefined) return;
    this.#editDraft = { ...this.#editDraft, ...changes };
    this.#onChange();
  }

  /** Starts a job with the current draft. */
  startJob(): void {
    this.sendPendingDraft();
    const { post } = this.#context;
    if (this.mode === 'edit' && this.#editDraft !== undefined)
      post({ type: 'edit-run', draft: this.#editDraft });
    else if (this.mode === 'create' && this.#createDraft !== undefined)
      post({ type: 'create-run', draft: this.#createDraft });
  }

  /** Sends the current draft to the host immediately if a delayed message is scheduled. */
  sendPendingDraft(): void {
    if (this.#cancelSend === undefined) return;
    this.#cancelSend();
    this.#cancelSend = undefined;
    this.#changeNumber += 1;
    this.#priceKeysByChange.set(this.#changeNumber, this.#createPriceKey());
    const { post } = this.#context;
    if (this.mode === 'edit' && this.#editDraft !== undefined)
      post({ type: 'edit-change', seq: this.#changeNumber, draft: this.#editDraft });
    else if (this.#createDraft !== undefined)
      post({ type: 'create-change', seq: this.#changeNumber, draft: this.#createDraft });
  }

  /** Restores the persisted drafts and input images after a restart of the host. */
  #restoreDrafts(): void {
    const { create, edit, inputs } = this.#context.savedState.state;
    this.#createDraft = create ?? this.#createDraft;
    this.#editDraft = edit ?? this.#editDraft;
    this.#requestedInputIds = inputs;
    if (inputs.length > 0) this.#context.post({ type: 'inputs-set', ids: [...inputs] });
    this.#scheduleSend();
  }

  /** Selects the most recently used model in each form in which no model is selected. */
  #selectSuggestedModel({ suggested }: Studio['models']): void {
    const needsCreateModel = this.#createDraft?.model === '' && suggested.create !== '';
    const needsEditModel = this.#editDraft?.model === '' && suggested.edit !== '';
    if (needsCreateModel && this.#createDraft)
      this.#createDraft = { ...this.#createDraft, model: suggested.create };
    if (needsEditModel && this.#editDraft)
      this.#editDraft = { ...this.#editDraft, model: suggested.edit };
    if (needsCreateModel || needsEditModel) this.#scheduleSend();
  }

  #onChange(): void {
    this.#context.savedState.save({ create: this.#createDraft, edit: this.#editDraft });
    this.#scheduleSend();
    this.#context.onChange();
  }

  #scheduleSend(): void {
    this.#cancelSend ??= this.#context.clock.after(sendDelayMs, () => this.sendPendingDraft());
  }

  #createPriceKey(): string {
    const draft = this.mode === 'edit' ? this.#editDraft : this.#createDraft;
    return draft === undefined ? '' : getPriceKey(draft, this.#studio?.inputs.length ?? 0);
  }
}

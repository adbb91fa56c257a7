import { isRecord } from '../../src/base/json.ts';
import {
  type CreateDraft,
  type EditDraft,
  readCreateDraft,
  readEditDraft,
} from '../../src/protocol/studio-state.ts';
import type { CodeApi } from '../host.ts';

export type Section = 'create' | 'gallery';

interface Kept {
  readonly section: Section;
  /** `undefined` when nothing was kept. */
  readonly create: CreateDraft | undefined;
  readonly edit: EditDraft | undefined;
  readonly inputs: readonly string[];
}

const maxInputs = 100;

/** What the studio keeps across its own reloads: the section, the drafts and the ids of the input pictures. */
export class Saved {
  readonly #api: CodeApi;
  #kept: Kept;

  constructor(api: CodeApi) {
    this.#api = api;
    this.#kept = readKept(api.getState());
  }

  get kept(): Kept {
    return this.#kept;
  }

  keep(part: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...part };
    this.#api.setState(this.#kept);
  }
}

function readKept(state: unknown): Kept {
  const { section, create, edit, inputs } = isRecord(state) ? state : ({} as never);
  return {
    section: section === 'gallery' ? 'gallery' : 'create',
    create: readCreateDraft(create),
    edit: readEditDraft(edit),
    inputs: readIds(inputs),
  };
}

function readIds(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list
    .filter((id): id is string => typeof id === 'string' && /^[\w-]{1,64}$/u.test(id))
    .slice(0, maxInputs);
}

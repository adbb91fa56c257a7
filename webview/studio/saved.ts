import { isRecord } from '../../src/base/json.ts';
import {
  type CreateDraft,
  type EditDraft,
  readCreateDraft,
  readEditDraft,
} from '../../src/image/studio/protocol/form.ts';
import type { CodeApi } from '../base/code-api.ts';
import type { GalleryQuery } from './gallery-layout.ts';
import { isId } from '../../src/base/ids.ts';

export type StudioSection = 'create' | 'gallery';

/** Names of the scrollable areas. In a narrow window, `page` scrolls the form and the results together. */
export const scrollAreas = ['page', 'results', 'gallery'] as const;
export type ScrollArea = (typeof scrollAreas)[number];

/**
 * Id of the image in the large view. `among` contains the ids of the images through which the Previous and Next buttons
 * move.
 */
export interface SavedImage {
  readonly id: string;
  readonly among: readonly string[];
}

interface SavedState {
  readonly section: StudioSection;
  /** Draft of the create form. `undefined` if no draft is persisted. */
  readonly create: CreateDraft | undefined;
  readonly edit: EditDraft | undefined;
  readonly inputs: readonly string[];
  /**
   * Image in the large view; `undefined` if the large view is closed. The property name is part of the persisted
   * format.
   */
  readonly picture: SavedImage | undefined;
  readonly query: GalleryQuery;
  /** Scroll positions in pixels from the top. */
  readonly scroll: Readonly<Record<ScrollArea, number>>;
}

const maxStoredInputs = 100;
/**
 * Maximum number of ids that are persisted in {@link SavedImage.among}: the visible image and its nearest neighbors.
 * Limited, because each change persists the whole state again.
 */
const maxStoredImageIds = 201;
const maxQueryChars = 300;

/**
 * State that the page persists across reloads: the section, the image in the large view, filters, scroll positions,
 * drafts and ids of input images.
 */
export class SavedStudio {
  readonly #api: CodeApi;
  #state: SavedState;

  constructor(api: CodeApi) {
    this.#api = api;
    this.#state = readState(api.getState());
  }

  get state(): SavedState {
    return this.#state;
  }

  save(changes: Partial<SavedState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#api.setState(this.#state);
  }

  /**
   * Persists the image in the large view with its nearest neighbors in the list. Pass `undefined` when the large view
   * closes.
   */
  saveImage(image: SavedImage | undefined): void {
    if (image === undefined) return this.save({ picture: undefined });
    const { id, among } = image;
    const firstIndex = Math.max(0, among.indexOf(id) - Math.floor(maxStoredImageIds / 2));
    this.save({ picture: { id, among: among.slice(firstIndex, firstIndex + maxStoredImageIds) } });
  }
}

function readState(state: unknown): SavedState {
  const storedState = isRecord(state) ? state : ({} as never);
  const { section, create, edit, inputs, picture, query, scroll } = storedState;
  return {
    section: section === 'gallery' ? 'gallery' : 'create',
    create: readCreateDraft(create),
    edit: readEditDraft(edit),
    inputs: readIds(inputs, maxStoredInputs),
    picture: readSavedImage(picture),
    query: readQuery(query),
    scroll: readScroll(scroll),
  };
}

function readSavedImage(value: unknown): SavedImage | undefined {
  const { id, among } = isRecord(value) ? value : ({} as never);
  const [validId] = readIds([id], 1);
  return validId === undefined
    ? undefined
    : { id: validId, among: readIds(among, maxStoredImageIds) };
}

function readQuery(value: unknown): GalleryQuery {
  const { text, model } = isRecord(value) ? value : ({} as never);
  return { text: readText(text), model: readText(model) };
}

function readScroll(value: unknown): SavedState['scroll'] {
  const { page, results, gallery } = isRecord(value) ? value : ({} as never);
  return { page: readPixels(page), results: readPixels(results), gallery: readPixels(gallery) };
}

const readText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, maxQueryChars) : '';

const readPixels = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

function readIds(value: unknown, maxCount: number): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  return values.filter(isId).slice(0, maxCount);
}

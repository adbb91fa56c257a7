import { dispatchMessage, type Handlers, hasHandler } from '../../src/base/handlers.ts';
import type {
  StudioHostMessage,
  StudioPageMessage,
  StudioState,
} from '../../src/image/studio/protocol/messages.ts';
import type { ImageDetails, ImageView } from '../../src/image/studio/protocol/gallery.ts';
import type { StudioJob } from '../../src/image/studio/protocol/job.ts';

/**
 * View state of the studio. The state is immutable, so a view renders again only if the identity of its data changes.
 */
export interface State {
  /** State of the studio except its images. Null until the host's first `state-set`. */
  readonly studio: Omit<StudioState, 'images'> | null;
  readonly images: ReadonlyMap<string, ImageView>;
  /** Values of {@link images}, sorted by creation time with the newest first. */
  readonly orderedImages: readonly ImageView[];
  /** Details of the image in the large view. Null until the host sends the details. */
  readonly details: ImageDetails | null;
}

export const initialState: State = {
  studio: null,
  images: new Map(),
  orderedImages: [],
  details: null,
};

/**
 * Returns the state after `message`. Messages before the first `state-set` and messages of unknown types do not change
 * the state.
 */
export function reduceState(state: State, message: StudioHostMessage): State {
  if (message.type === 'state-set') {
    const { images, ...studio } = message.state;
    return { ...putImages(initialState, images), studio };
  }
  if (state.studio === null || !hasHandler(reducers, message)) return state;
  return dispatchMessage(reducers, message, state);
}

type StudioStateChange = Exclude<StudioHostMessage, { readonly type: 'state-set' }>;

type Reducers<Type extends StudioStateChange['type']> = Handlers<
  Extract<StudioStateChange, { readonly type: Type }>,
  [State],
  State
>;

const formReducers: Reducers<
  | 'models-change'
  | 'styles-change'
  | 'check-change'
  | 'create-set'
  | 'edit-set'
  | 'inputs-change'
  | 'account-change'
> = {
  'models-change': ({ models }, state) => changeStudio(state, { models }),
  'styles-change': ({ styles }, state) => changeStudio(state, { styles }),
  'check-change': ({ check }, state) => changeStudio(state, { check }),
  'create-set': ({ draft }, state) => changeStudio(state, { create: draft }),
  'edit-set': ({ draft }, state) => changeStudio(state, { edit: draft }),
  'inputs-change': ({ inputs }, state) => changeStudio(state, { inputs }),
  'account-change': ({ account }, state) => changeStudio(state, { account }),
};

const jobReducers: Reducers<'job-put' | 'job-remove'> = {
  'job-put': ({ job }, state) => changeJobs(state, (jobs) => putJob(jobs, job)),
  'job-remove': ({ id: removedId }, state) =>
    changeJobs(state, (jobs) => jobs.filter(({ id }) => id !== removedId)),
};

const galleryReducers: Reducers<
  'images-put' | 'images-remove' | 'gallery-change' | 'image-details'
> = {
  'images-put': ({ images }, state) => putImages(state, images),
  'images-remove': ({ ids }, state) => removeImages(state, new Set(ids)),
  'gallery-change': ({ gallery }, state) => changeStudio(state, { gallery }),
  'image-details': ({ details }, state) => ({ ...state, details }),
};

const reducers = { ...formReducers, ...jobReducers, ...galleryReducers };

/** Messages that do not change the view state, such as a notice. The page handles them after the next rendering. */
export type ActionMessage = Exclude<StudioStateChange, { readonly type: keyof typeof reducers }>;

/** Checks whether the job can still change without a user action. */
export const isActive = ({ status }: Pick<StudioJob, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting';

function changeStudio(state: State, changes: Partial<Omit<StudioState, 'images'>>): State {
  return state.studio === null ? state : { ...state, studio: { ...state.studio, ...changes } };
}

function changeJobs(state: State, change: (jobs: StudioJob[]) => StudioJob[]): State {
  return state.studio === null ? state : changeStudio(state, { jobs: change(state.studio.jobs) });
}

function putJob(jobs: readonly StudioJob[], job: StudioJob): StudioJob[] {
  const index = jobs.findIndex(({ id }) => id === job.id);
  return index === -1 ? [job, ...jobs] : jobs.with(index, job);
}

function putImages(state: State, addedImages: readonly ImageView[]): State {
  if (addedImages.length === 0) return state;
  const images = new Map(state.images);
  for (const image of addedImages) images.set(image.id, image);
  return { ...state, images, orderedImages: sortNewestFirst(images) };
}

function removeImages(state: State, removedIds: ReadonlySet<string>): State {
  const images = new Map([...state.images].filter(([id]) => !removedIds.has(id)));
  if (images.size === state.images.size) return state;
  const details = state.details !== null && removedIds.has(state.details.id) ? null : state.details;
  return { ...state, images, orderedImages: sortNewestFirst(images), details };
}

/** Sorts images by creation time, newest first, and then by id, so that the order is stable. */
function sortNewestFirst(images: ReadonlyMap<string, ImageView>): ImageView[] {
  return [...images.values()].sort(
    (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
}

export type StudioPost = (message: StudioPageMessage) => void;

import type {
  StudioHostMessage,
  StudioPageMessage,
} from '../../src/image/studio/protocol/messages.ts';
import type {
  ImageDetails,
  ImageView,
  StudioJob,
  StudioState,
} from '../../src/image/studio/protocol/state.ts';
import type { CodeApi } from '../base/code-api.ts';

/** What the studio draws. Nothing in it changes in place: a part that kept its identity need not be drawn again. */
export interface State {
  /** Null until the host's first `state-set`. */
  readonly studio: Omit<StudioState, 'images'> | null;
  readonly images: ReadonlyMap<string, ImageView>;
  /** All of `images`, newest first. */
  readonly ordered: readonly ImageView[];
  /** Of the picture that is shown large, once they came. */
  readonly details: ImageDetails | null;
}

export const initialState: State = {
  studio: null,
  images: new Map(),
  ordered: [],
  details: null,
};

/** The state after `message`. */
export function reduce(state: State, message: StudioHostMessage): State {
  switch (message.type) {
    case 'state-set': {
      const { images, ...studio } = message.state;
      return { ...putImages(initialState, images), studio };
    }
    case 'models-change':
      return change(state, { models: message.models });
    case 'styles-change':
      return change(state, { styles: message.styles });
    case 'check-change':
      return change(state, { check: message.check });
    case 'create-set':
      return change(state, { create: message.draft });
    case 'edit-set':
      return change(state, { edit: message.draft });
    case 'inputs-change':
      return change(state, { inputs: message.inputs });
    case 'job-put':
      return changeJobs(state, (jobs) => putJob(jobs, message.job));
    case 'job-remove':
      return changeJobs(state, (jobs) => jobs.filter(({ id }) => id !== message.id));
    case 'images-put':
      return putImages(state, message.images);
    case 'images-remove':
      return removeImages(state, new Set(message.ids));
    case 'gallery-change':
      return change(state, { gallery: message.gallery });
    case 'image-details':
      return { ...state, details: message.details };
    case 'account-change':
      return change(state, { account: message.account });
    case 'image-show':
    case 'section-show':
    case 'notice-show':
      return state;
    default:
      return message satisfies never;
  }
}

/** Whether more is to come of a job by itself. */
export const isActive = ({ status }: Pick<StudioJob, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting';

function change(state: State, part: Partial<Omit<StudioState, 'images'>>): State {
  return state.studio === null ? state : { ...state, studio: { ...state.studio, ...part } };
}

function changeJobs(state: State, next: (jobs: StudioJob[]) => StudioJob[]): State {
  return state.studio === null ? state : change(state, { jobs: next(state.studio.jobs) });
}

function putJob(jobs: readonly StudioJob[], job: StudioJob): StudioJob[] {
  const index = jobs.findIndex(({ id }) => id === job.id);
  return index === -1 ? [job, ...jobs] : jobs.with(index, job);
}

function putImages(state: State, added: readonly ImageView[]): State {
  if (added.length === 0) return state;
  const images = new Map(state.images);
  for (const image of added) images.set(image.id, image);
  return { ...state, images, ordered: newestFirst(images) };
}

function removeImages(state: State, gone: ReadonlySet<string>): State {
  const images = new Map([...state.images].filter(([id]) => !gone.has(id)));
  if (images.size === state.images.size) return state;
  const details = state.details !== null && gone.has(state.details.id) ? null : state.details;
  return { ...state, images, ordered: newestFirst(images), details };
}

/** Pictures of one moment are told apart by their ids, so that the order is always the same. */
function newestFirst(images: ReadonlyMap<string, ImageView>): ImageView[] {
  return [...images.values()].sort(
    (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
}

export type StudioPost = (message: StudioPageMessage) => void;

/** The typed way out of the image studio. */
export const createStudioPost =
  (api: CodeApi): StudioPost =>
  (message) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's takes the message alone
    api.postMessage(message);

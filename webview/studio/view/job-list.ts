import { html, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { StudioJob } from '../../../src/image/studio/protocol/state.ts';
import { secondsLeft } from '../../base/failure-card.ts';
import { isActive, type State, type StudioPost } from '../store.ts';
import { words } from '../messages.ts';
import { jobCard } from './job-card.ts';
import { ensureTabStop, rove } from './roving.ts';
import { SecondTick } from './second-tick.ts';

interface JobListContext {
  readonly post: StudioPost;
  readonly clock: Clock;
  readonly say: (text: string) => void;
  readonly open: (id: string, among: readonly string[]) => void;
}

const tiles = '.place.tile';
/** All of the list is one tab stop. */
const stops = `${tiles}, .dismiss`;

/** The jobs of the page, newest first. */
export class JobList {
  readonly element = document.createElement('div');
  readonly #context: JobListContext;
  #state: State | undefined;
  readonly #tick: SecondTick;

  constructor(context: JobListContext) {
    this.#context = context;
    this.#tick = new SecondTick(context.clock, () => this.#render());
    this.element.className = 'results';
    this.element.role = 'region';
    this.element.ariaLabel = words.results;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  update(state: State): void {
    const before = this.#state?.studio?.jobs;
    this.#state = state;
    this.#render();
    if (before !== undefined) this.#announce(before, state.studio?.jobs ?? []);
  }

  /** The picture's tile, or what is left of the list. */
  focus(id: string | undefined): void {
    const all = [...this.element.querySelectorAll<HTMLElement>(tiles)];
    (all.find((tile) => tile.dataset['image'] === id) ?? all[0])?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (rove(this.element, stops, event)) return;
    const { target } = event;
    if (event.key !== 'Delete' || !(target instanceof HTMLElement) || !target.matches(stops))
      return;
    const id = target.dataset['image'];
    if (id === undefined) target.click();
    else this.#context.post({ type: 'image-act', id, action: 'delete' });
    event.preventDefault();
  }

  #render(): void {
    const { studio, images } = this.#state ?? {};
    if (studio == null || images === undefined) return;
    const { jobs } = studio;
    const { post, clock } = this.#context;
    const now = clock.now();
    render(
      jobs.length === 0
        ? html`<p class="empty">${words.resultsEmpty}</p>`
        : repeat(
            jobs,
            ({ id }) => id,
            (job) => jobCard({ job, images, now, post, open: (id) => this.#open(id, job) }),
          ),
      this.element,
    );
    ensureTabStop(this.element, stops, tiles);
    this.#tick.next(jobs.some((job) => isCounting(job, now)));
  }

  #open(id: string, job: StudioJob): void {
    this.#context.open(
      id,
      job.images.filter((each) => each !== null),
    );
  }

  #announce(before: readonly StudioJob[], jobs: readonly StudioJob[]): void {
    const lines = jobs.map((job) =>
      sayingOf(
        before.find(({ id }) => id === job.id),
        job,
      ),
    );
    const text = lines.filter(Boolean).join('. ');
    if (text !== '') this.#context.say(text);
  }
}

/** Whether a job's card says something else in a second. */
const isCounting = (job: StudioJob, now: number): boolean =>
  isActive(job) || (job.failure !== null && secondsLeft(job.failure, now) > 0);

/** What to say about a job that began or ended; empty when it did neither. */
function sayingOf(before: StudioJob | undefined, job: StudioJob): string {
  if (before?.status === job.status) return '';
  if (isActive(job)) return before === undefined ? words.startedSaying(job.images.length) : '';
  if (job.status === 'cancelled') return words.cancelled;
  if (job.status === 'failed') return words.failedSaying(job.failure?.title ?? '');
  return words.doneSaying(job.images.filter((id) => id !== null).length);
}

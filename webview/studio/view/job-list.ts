import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { ImageView } from '../../../src/image/studio/protocol/gallery.ts';
import type { StudioJob } from '../../../src/image/studio/protocol/job.ts';
import { renderIcon } from '../../base/controls.ts';
import { cssVariables } from '../../base/css-variables.ts';
import { countSecondsLeft } from '../../base/failure-card.ts';
import { formatDuration } from '../../base/format.ts';
import { labels } from '../labels.ts';
import { isActive, type State, type StudioPost } from '../store.ts';
import { renderFailureNote } from './failure-note.ts';
import { renderBadges, describeImage } from './image-actions.ts';
import { ensureTabStop, moveFocus } from './roving.ts';

export interface JobCard {
  readonly job: StudioJob;
  readonly images: ReadonlyMap<string, ImageView>;
  /** Current time in milliseconds since the epoch. */
  readonly now: number;
  readonly post: StudioPost;
  readonly openImage: (id: string) => void;
}

/** Renders a job: its prompt, its progress, and one tile or placeholder per requested image. */
export function renderJobCard(card: JobCard): TemplateResult {
  const { job, post, now } = card;
  const { id, title, failure } = job;
  return html`<section class="job" aria-labelledby="job-${id}" data-job=${id}>
    <div class="job-head">
      <h2 id="job-${id}" class="job-title" dir="auto" title=${title}>${title}</h2>
      ${
        isActive(job)
          ? html`<button
              type="button"
              class="button secondary"
              @click=${() => post({ type: 'job-cancel', id })}
            >
              ${labels.cancel}
            </button>`
          : html`<button
              type="button"
              class="dismiss icon-button"
              tabindex="-1"
              aria-label=${labels.dismiss}
              aria-describedby="job-${id}"
              aria-keyshortcuts="Delete"
              title=${labels.dismiss}
              @click=${() => post({ type: 'job-dismiss', id })}
            >
              ${renderIcon('close')}
            </button>`
      }
    </div>
    <p class="job-facts">${renderFacts(card)}</p>
    ${
      failure === null
        ? nothing
        : renderFailureNote({
            failure,
            now,
            runAction: (action) => post({ type: 'action-run', source: 'job', jobId: id, action }),
          })
    }
    ${renderImageSlots(card)} ${renderModerationNote(card)}
  </section>`;
}

/** Checks whether the job has images, or is still creating images. */
const hasImageSlots = (job: StudioJob): boolean =>
  isActive(job) || job.images.some((id) => id !== null);

function renderImageSlots(card: JobCard): TemplateResult | typeof nothing {
  const { job, images } = card;
  if (!hasImageSlots(job)) return nothing;
  return html`<ul class="places ${job.images.length > 1 ? 'several' : ''}">
    ${repeat(
      job.images,
      (_, index) => index,
      (id, index) => {
        const image = id === null ? undefined : images.get(id);
        return html`<li>
          ${image === undefined ? renderEmptySlot(job, id) : renderImageTile(card, image, index)}
        </li>`;
      },
    )}
  </ul>`;
}

/** Renders a placeholder with the expected aspect ratio in place of an image that is pending or missing. */
function renderEmptySlot(job: StudioJob, id: string | null): TemplateResult {
  const isEmpty = id !== null || !isActive(job);
  return html`<span
    class="place ${isEmpty ? 'empty' : 'pending'}"
    ${cssVariables({ '--ratio': String(job.width / job.height) })}
    >${isEmpty ? labels.notMade : nothing}</span
  >`;
}

function renderImageTile(
  { job, openImage }: JobCard,
  image: ImageView,
  index: number,
): TemplateResult {
  const { id, src, width, height } = image;
  const positionText =
    job.images.length > 1 ? `${labels.formatImagePosition(index + 1, job.images.length)}. ` : '';
  return html`<button
    type="button"
    class="place tile"
    data-image=${id}
    tabindex="-1"
    aria-keyshortcuts="Delete"
    aria-label="${positionText}${describeImage(image)}"
    ${cssVariables({ '--ratio': String(width / height) })}
    @click=${() => openImage(id)}
  >
    <img src=${src} alt="" width=${width} height=${height} loading="lazy" decoding="async" />
    ${renderBadges(image)}
  </button>`;
}

/** Renders the reasons for blurred or refused images as text, because some users cannot open tooltips. */
function renderModerationNote({ job, images }: JobCard): TemplateResult | typeof nothing {
  const texts = job.images.map((id) => (id === null ? '' : (images.get(id)?.moderationText ?? '')));
  const reasons = [...new Set(texts)].filter(Boolean);
  if (reasons.length === 0) return nothing;
  return html`${reasons.map((text) => html`<p class="note">${renderIcon('info')} ${text}</p>`)}`;
}

/** Renders state, model, duration and cost of a job: `Harbour Pixel · 12 s · $0.01`. */
function renderFacts({ job, now }: JobCard): TemplateResult {
  const { status, model, costText, durationMs } = job;
  const parts = [model, durationMs === null ? '' : formatDuration(durationMs), costText];
  const stateText = formatState(job, now);
  return html`${status === 'running' ? renderIcon('loading') : nothing}${
    status === 'waiting' || status === 'queued' ? renderIcon('watch') : nothing
  }
  ${[stateText, ...parts].filter(Boolean).join(' · ')}`;
}

function formatState(job: StudioJob, now: number): string {
  const { status, retry, startedAt } = job;
  if (status === 'queued') return labels.queued;
  if (status === 'canceled') return labels.cancelled;
  const elapsedText = startedAt === null ? '' : formatWholeSeconds(now - startedAt);
  if (status === 'waiting' && retry !== null) {
    const seconds = Math.max(0, Math.ceil((retry.at - now) / 1_000));
    return [retry.reason, labels.formatRetryWait(retry.next, retry.of, seconds)]
      .filter(Boolean)
      .join(' ');
  }
  return isActive(job) ? [labels.running, elapsedText].filter(Boolean).join(' · ') : '';
}

const formatWholeSeconds = (ms: number): string =>
  formatDuration(Math.max(0, Math.floor(ms / 1_000)) * 1_000);

const secondMs = 1_000;

/** Timer that renders once per second while a duration or countdown is visible. */
export class SecondTimer {
  readonly #clock: Clock;
  readonly #onSecond: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, draw: () => void) {
    this.#clock = clock;
    this.#onSecond = draw;
  }

  /**
   * Schedules a rendering in one second if `isCounting` is true, that is, a duration or countdown is visible. Call this
   * at each rendering.
   */
  scheduleRendering(isCounting: boolean): void {
    this.#cancel?.();
    this.#cancel = isCounting ? this.#clock.after(secondMs, this.#onSecond) : undefined;
  }
}

interface JobListContext {
  readonly post: StudioPost;
  readonly clock: Clock;
  readonly announce: (text: string) => void;
  readonly openImage: (id: string, imageIds: readonly string[]) => void;
}

const tileSelector = '.place.tile';
/** Selector of all focusable elements in the list. Only one of these elements is in the tab order. */
const focusableSelector = `${tileSelector}, .dismiss`;

/** List of the jobs, newest first. */
export class JobList {
  readonly element = document.createElement('div');
  readonly #context: JobListContext;
  #state: State | undefined;
  readonly #timer: SecondTimer;

  constructor(context: JobListContext) {
    this.#context = context;
    this.#timer = new SecondTimer(context.clock, () => this.#render());
    this.element.className = 'results';
    this.element.role = 'region';
    this.element.ariaLabel = labels.results;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Renders the jobs. Returns the card of a job that was started since the last rendering. */
  update(state: State): HTMLElement | undefined {
    const previousJobs = this.#state?.studio?.jobs;
    this.#state = state;
    this.#render();
    if (previousJobs === undefined) return undefined;
    const jobs = state.studio?.jobs ?? [];
    this.#announceChanges(previousJobs, jobs);
    const startedJob = jobs.find(
      (job) => isActive(job) && previousJobs.every(({ id }) => id !== job.id),
    );
    return [...this.element.querySelectorAll<HTMLElement>('.job')].find(
      ({ dataset }) => dataset['job'] === startedJob?.id,
    );
  }

  /** Moves the focus to the tile of image `id`, or else to the first tile. */
  focus(id: string | undefined): void {
    const elements = [...this.element.querySelectorAll<HTMLElement>(tileSelector)];
    (elements.find((tile) => tile.dataset['image'] === id) ?? elements[0])?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (moveFocus(this.element, focusableSelector, event)) return;
    const { target } = event;
    if (
      event.key !== 'Delete' ||
      !(target instanceof HTMLElement) ||
      !target.matches(focusableSelector)
    )
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
        ? html`<p class="empty">${labels.resultsEmpty}</p>`
        : repeat(
            jobs,
            ({ id }) => id,
            (job) =>
              renderJobCard({
                job,
                images,
                now,
                post,
                openImage: (id) => this.#openImage(id, job),
              }),
          ),
      this.element,
    );
    ensureTabStop(this.element, focusableSelector, tileSelector);
    this.#timer.scheduleRendering(jobs.some((job) => showsRunningTime(job, now)));
  }

  #openImage(id: string, job: StudioJob): void {
    this.#context.openImage(
      id,
      job.images.filter((image) => image !== null),
    );
  }

  #announceChanges(previousJobs: readonly StudioJob[], jobs: readonly StudioJob[]): void {
    const lines = jobs.map((job) =>
      formatJobAnnouncement(
        previousJobs.find(({ id }) => id === job.id),
        job,
      ),
    );
    const text = lines.filter(Boolean).join('. ');
    if (text !== '') this.#context.announce(text);
  }
}

/** Checks whether the job's card shows a running duration or countdown. */
const showsRunningTime = (job: StudioJob, now: number): boolean =>
  isActive(job) || (job.failure !== null && countSecondsLeft(job.failure, now) > 0);

/**
 * Returns the announcement for screen readers that a job has started or ended. Returns an empty string for other
 * changes.
 */
function formatJobAnnouncement(previousJob: StudioJob | undefined, job: StudioJob): string {
  if (previousJob?.status === job.status) return '';
  if (isActive(job)) return previousJob === undefined ? labels.startedAnnouncement : '';
  if (job.status === 'canceled') return labels.cancelled;
  if (job.status === 'failed') return labels.formatFailureAnnouncement(job.failure?.title ?? '');
  return labels.doneAnnouncement;
}

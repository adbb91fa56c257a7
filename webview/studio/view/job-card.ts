import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ImageView, StudioJob } from '../../../src/image/studio/protocol/state.ts';
import { icon } from '../../base/controls.ts';
import { formatDuration } from '../../base/format.ts';
import { isActive, type StudioPost } from '../store.ts';
import { words } from '../messages.ts';
import { badges, describe } from './badges.ts';
import { cssVariables } from '../../base/css-variables.ts';
import { failureNote } from './failure-note.ts';

export interface JobCard {
  readonly job: StudioJob;
  readonly images: ReadonlyMap<string, ImageView>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly post: StudioPost;
  readonly open: (id: string) => void;
}

/** One call: what was asked for, how far it is, and a place for each picture from the start. */
export function jobCard(card: JobCard): TemplateResult {
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
              ${words.cancel}
            </button>`
          : html`<button
              type="button"
              class="dismiss icon-button"
              tabindex="-1"
              aria-label=${words.dismiss}
              aria-describedby="job-${id}"
              aria-keyshortcuts="Delete"
              title=${words.dismiss}
              @click=${() => post({ type: 'job-dismiss', id })}
            >
              ${icon('close')}
            </button>`
      }
    </div>
    <p class="job-facts">${facts(card)}</p>
    ${
      failure === null
        ? nothing
        : failureNote({
            failure,
            now,
            run: (action) => post({ type: 'action-run', source: 'job', jobId: id, action }),
          })
    }
    ${places(card)} ${moderation(card)}
  </section>`;
}

/** Whether there is anything to see of a job's pictures. */
const hasPlaces = (job: StudioJob): boolean =>
  isActive(job) || job.images.some((id) => id !== null);

function places(card: JobCard): TemplateResult | typeof nothing {
  const { job, images } = card;
  if (!hasPlaces(job)) return nothing;
  return html`<ul class="places ${job.images.length > 1 ? 'several' : ''}">
    ${repeat(
      job.images,
      (_, at) => at,
      (id, at) => {
        const image = id === null ? undefined : images.get(id);
        return html`<li>${image === undefined ? space(job, id) : tile(card, image, at)}</li>`;
      },
    )}
  </ul>`;
}

/** Keeps the place of a picture, in its shape. */
function space(job: StudioJob, id: string | null): TemplateResult {
  const gone = id !== null || !isActive(job);
  return html`<span
    class="place ${gone ? 'empty' : 'pending'}"
    ${cssVariables({ '--ratio': String(job.width / job.height) })}
    >${gone ? words.notMade : nothing}</span
  >`;
}

function tile({ job, open }: JobCard, image: ImageView, at: number): TemplateResult {
  const { id, src, width, height } = image;
  const place = job.images.length > 1 ? `${words.picture(at + 1, job.images.length)}. ` : '';
  return html`<button
    type="button"
    class="place tile"
    data-image=${id}
    tabindex="-1"
    aria-keyshortcuts="Delete"
    aria-label="${place}${describe(image)}"
    ${cssVariables({ '--ratio': String(width / height) })}
    @click=${() => open(id)}
  >
    <img src=${src} alt="" width=${width} height=${height} loading="lazy" decoding="async" />
    ${badges(image)}
  </button>`;
}

/** Why pictures are not what was asked for, in words and not only on hover. */
function moderation({ job, images }: JobCard): TemplateResult | typeof nothing {
  const texts = job.images.map((id) => (id === null ? '' : (images.get(id)?.moderationText ?? '')));
  const reasons = [...new Set(texts)].filter(Boolean);
  if (reasons.length === 0) return nothing;
  return html`${reasons.map((text) => html`<p class="note">${icon('info')} ${text}</p>`)}`;
}

/** `Harbour Pixel · 12 s · $0.01`. */
function facts({ job, now }: JobCard): TemplateResult {
  const { status, model, costText, durationMs } = job;
  const parts = [model, durationMs === null ? '' : formatDuration(durationMs), costText];
  const state = stateOf(job, now);
  return html`${status === 'running' ? icon('loading') : nothing}${
    status === 'waiting' || status === 'queued' ? icon('watch') : nothing
  }
  ${[state, ...parts].filter(Boolean).join(' · ')}`;
}

function stateOf(job: StudioJob, now: number): string {
  const { status, retry, startedAt } = job;
  if (status === 'queued') return words.queued;
  if (status === 'cancelled') return words.cancelled;
  const elapsed = startedAt === null ? '' : wholeSeconds(now - startedAt);
  if (status === 'waiting' && retry !== null) {
    const seconds = Math.max(0, Math.ceil((retry.at - now) / 1_000));
    return [retry.reason, words.waiting(retry.next, retry.of, seconds)].filter(Boolean).join(' ');
  }
  return isActive(job) ? [words.running, elapsed].filter(Boolean).join(' · ') : '';
}

const wholeSeconds = (ms: number): string =>
  formatDuration(Math.max(0, Math.floor(ms / 1_000)) * 1_000);

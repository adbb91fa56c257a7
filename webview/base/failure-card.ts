import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FailureView } from '../../src/account/protocol.ts';
import { renderIcon, renderTextButton } from './controls.ts';
import { formatWait } from './format.ts';

export interface FailureCard {
  readonly failure: FailureView;
  readonly now: number;
  /** True if the extension retries the failed request automatically; false if only the user can retry it. */
  readonly retriesAutomatically: boolean;
  readonly runAction: (action: string) => void;
  /**
   * Requests the answer again from another model, given by its id. If the function is absent, the card suggests no
   * other model.
   */
  readonly continueWithModel?: (modelId: string) => void;
}

/** Renders a failure: the message, the reason and the possible actions. Counts down to a pending retry. */
export function renderFailureCard({
  failure,
  now,
  retriesAutomatically,
  runAction,
  continueWithModel,
}: FailureCard): TemplateResult {
  const fallback = continueWithModel === undefined ? undefined : failure.fallback;
  const seconds = countSecondsLeft(failure, now);
  return html`<div
    class="failure ${seconds > 0 ? 'waiting' : ''}"
    role="group"
    aria-label=${l10n.t('Problem')}
  >
    ${renderIcon(seconds > 0 ? 'watch' : 'error')}
    <div class="failure-body">
      <p class="failure-title" dir="auto">${failure.title}</p>
      ${failure.detail === null ? nothing : html`<p class="failure-detail" dir="auto">${failure.detail}</p>`}
      ${seconds > 0 ? html`<p class="failure-wait">${formatWaitText(retriesAutomatically, formatWait(seconds))}</p>` : nothing}
      <div class="failure-foot">
        ${
          fallback === undefined
            ? nothing
            : renderTextButton({
                label: l10n.t('Continue with {0}', fallback.name),
                isPrimary: true,
                onClick: () => continueWithModel?.(fallback.id),
              })
        }${listAvailableActions(failure, now).map(({ action, label }, index) =>
          renderTextButton({
            label,
            isPrimary: fallback === undefined && index === 0,
            onClick: () => runAction(action),
          }),
        )}
        <code class="failure-code">${failure.code}</code>
      </div>
    </div>
  </div>`;
}

const formatWaitText = (retriesAutomatically: boolean, time: string): string =>
  retriesAutomatically ? l10n.t('Trying again in {0}', time) : l10n.t('Try again in {0}', time);

/**
 * Longest remaining wait, in seconds, during which the Retry button is hidden. During a longer wait, the button is
 * visible, because the service may accept a retry earlier than announced.
 */
const maxSecondsWithoutRetry = 60;

/**
 * Returns the actions to offer for a failure. Omits the actions that repeat the request while the user must wait at
 * most a minute before a retry can succeed.
 */
export function listAvailableActions(failure: FailureView, now: number): FailureView['actions'] {
  const seconds = countSecondsLeft(failure, now);
  return seconds > 0 && seconds <= maxSecondsWithoutRetry
    ? failure.actions.filter((item) => !isRetryAction(item))
    : failure.actions;
}

/** Checks whether an action repeats the failed request. */
export const isRetryAction = ({ action }: FailureView['actions'][number]): boolean =>
  action === 'retry' || action === 'pay-again';

/**
 * Returns the number of seconds until the failed request can be retried, rounded up to whole seconds; 0 if the request
 * can be retried now.
 */
export function countSecondsLeft({ retryAt }: FailureView, now: number): number {
  return retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1_000));
}

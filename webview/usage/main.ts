// oxlint-disable-next-line import/no-unassigned-import -- the words must be there before any module says one
import '../base/translations.ts';
import { render } from 'lit';
import {
  readUsageHostMessage,
  type UsagePageMessage,
  type UsagePeriod,
  usagePeriods,
  usageVersion,
} from '../../src/account/usage-protocol.ts';
import type { CodeApi } from '../base/code-api.ts';
import { firstUsageState, type UsageState } from './usage-table.ts';
import { usagePage } from './usage-page.ts';

declare function acquireVsCodeApi(): CodeApi;

const api = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
let state: UsageState = { ...firstUsageState, ...kept(api.getState()) };

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const message = readUsageHostMessage(data);
  if (message === undefined) return;
  if (message.type === 'usage-set') change({ usage: message.usage, problem: '' });
  else change({ problem: message.message });
});

paint();
post({ type: 'ready', version: usageVersion, days: state.days });

function change(part: Partial<UsageState>): void {
  state = { ...state, ...part };
  api.setState({ days: state.days, by: state.by });
  paint();
}

function paint(): void {
  render(
    usagePage(state, {
      post,
      show: (by) => change({ by }),
      setPeriod: (days) => {
        change({ days });
        post({ type: 'period-set', days });
      },
    }),
    root,
  );
}

function post(message: UsagePageMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's takes the message alone
  api.postMessage(message);
}

/** What the page showed before it was loaded anew. */
function kept(value: unknown): Partial<UsageState> {
  if (typeof value !== 'object' || value === null) return {};
  const { days, by } = value as { days?: unknown; by?: unknown };
  const period = usagePeriods.find((each): each is UsagePeriod => each === days);
  const table = (['model', 'feature', 'conversation', 'day'] as const).find((each) => each === by);
  return { ...(period && { days: period }), ...(table && { by: table }) };
}

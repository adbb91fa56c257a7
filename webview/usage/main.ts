// oxlint-disable-next-line import/no-unassigned-import -- loads the translations before any module uses one
import '../base/translations.ts';
import { render } from 'lit';
import {
  readUsageHostMessage,
  type UsagePageMessage,
  type UsagePeriod,
  usagePeriods,
  usageVersion,
} from '../../src/account/usage-protocol.ts';
import { type CodeApi, createPostFunction } from '../base/code-api.ts';
import { initialUsageState, type UsageState } from './usage-table.ts';
import { renderUsagePage } from './usage-page.ts';

declare function acquireVsCodeApi(): CodeApi;

const api = acquireVsCodeApi();
const post: (message: UsagePageMessage) => void = createPostFunction(api);
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
let state: UsageState = { ...initialUsageState, ...readStoredState(api.getState()) };

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const message = readUsageHostMessage(data);
  if (message === undefined) return;
  if (message.type === 'usage-set') updateState({ usage: message.usage, problem: '' });
  else updateState({ problem: message.message });
});

renderPage();
post({ type: 'ready', version: usageVersion, days: state.days });

function updateState(changes: Partial<UsageState>): void {
  state = { ...state, ...changes };
  api.setState({ days: state.days, by: state.table });
  renderPage();
}

function renderPage(): void {
  render(
    renderUsagePage(state, {
      post,
      showTable: (table) => updateState({ table }),
      setPeriod: (days) => {
        updateState({ days });
        post({ type: 'period-set', days });
      },
    }),
    root,
  );
}

/** Decodes the period and grouping that the page stored in the webview state. Omits invalid fields. */
function readStoredState(value: unknown): Partial<UsageState> {
  if (typeof value !== 'object' || value === null) return {};
  const { days, by: tableName } = value as { days?: unknown; by?: unknown };
  const period = usagePeriods.find((candidate): candidate is UsagePeriod => candidate === days);
  const table = (['model', 'feature', 'conversation', 'day'] as const).find(
    (candidate) => candidate === tableName,
  );
  return { ...(period && { days: period }), ...(table && { table }) };
}

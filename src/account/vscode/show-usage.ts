import { UsagePanel, type UsagePanelOptions } from './usage-panel.ts';

let shown: UsagePanel | undefined;

/** Opens the tab that shows what was spent, or brings it to the front. One in a window. */
export function showUsage(options: UsagePanelOptions): void {
  if (shown !== undefined) return shown.reveal();
  shown = new UsagePanel(options, () => (shown = undefined));
}

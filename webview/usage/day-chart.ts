import * as l10n from '@vscode/l10n';
import { html, svg, type TemplateResult } from 'lit';
import { formatUsd } from '../../src/base/amounts.ts';
import type { UsageView } from '../../src/account/usage-protocol.ts';
import { dayText } from './day-text.ts';

const height = 72;
const pitch = 12;
const bar = 8;

/** A bar for each day. Who does not see it has the table by days, which says the same. */
export function dayChart({ byDay, total }: UsageView): TemplateResult {
  const most = Math.max(...byDay.map(({ usd }) => usd), Number.MIN_VALUE);
  const [first] = byDay;
  const last = byDay.at(-1);
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${byDay.length * pitch} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${l10n.t('Cost by day, {0} in all', formatUsd(total.usd))}
    >
      ${byDay.map(({ day, usd }, index) => {
        const top = usd === 0 ? 1 : Math.max(2, (usd / most) * height);
        return svg`<rect x=${index * pitch + (pitch - bar) / 2} y=${height - top} width=${bar} height=${top}
          class=${usd === 0 ? 'none' : 'spent'}><title>${dayText(day)}: ${formatUsd(usd)}</title></rect>`;
      })}
    </svg>
    <figcaption>
      <span>${first && dayText(first.day)}</span><span>${last && dayText(last.day)}</span>
    </figcaption>
  </figure>`;
}

/**
 * Moves the focus between the elements in `root` that match `selector`. Handles arrow keys, Home and End. Returns true
 * if the focus moved.
 */
export function rove(root: HTMLElement, selector: string, event: KeyboardEvent): boolean {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const index = all.findIndex((stop) => stop === event.target);
  if (index === -1 || event.ctrlKey || event.altKey || event.metaKey) return false;
  const targetIndex = indexAfterKey(event.key, index, all.length, isRightToLeft(root));
  const target = targetIndex === undefined ? undefined : all[targetIndex];
  if (target === undefined) return false;
  keepTabStop(all, target);
  target.focus();
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/**
 * Puts one matching element into the tab order: the last focused element, else the first that matches `preferred`, else
 * the first.
 */
export function ensureTabStop(root: HTMLElement, selector: string, preferred = selector): void {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const tabStop =
    all.find((stop) => stop.dataset['stop'] === 'yes') ??
    all.find((stop) => stop.matches(preferred)) ??
    all[0];
  for (const stop of all) stop.tabIndex = stop === tabStop ? 0 : -1;
}

function keepTabStop(all: readonly HTMLElement[], target: HTMLElement): void {
  for (const stop of all) {
    stop.tabIndex = stop === target ? 0 : -1;
    stop.dataset['stop'] = stop === target ? 'yes' : '';
  }
}

function indexAfterKey(
  key: string,
  index: number,
  count: number,
  isMirrored: boolean,
): number | undefined {
  const forward = isMirrored ? 'ArrowLeft' : 'ArrowRight';
  const backward = isMirrored ? 'ArrowRight' : 'ArrowLeft';
  if (key === forward || key === 'ArrowDown') return (index + 1) % count;
  if (key === backward || key === 'ArrowUp') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export const isRightToLeft = (root: HTMLElement): boolean =>
  getComputedStyle(root).direction === 'rtl';

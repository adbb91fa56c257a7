/**
 * Moves the focus between the elements that match `selector` in `root` with arrow keys, Home and
 * End. Returns true when it moved.
 */
export function rove(root: HTMLElement, selector: string, event: KeyboardEvent): boolean {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const at = all.findIndex((stop) => stop === event.target);
  if (at === -1 || event.ctrlKey || event.altKey || event.metaKey) return false;
  const to = placeAfter(event.key, at, all.length, isRightToLeft(root));
  const target = to === undefined ? undefined : all[to];
  if (target === undefined) return false;
  keepTabStop(all, target);
  target.focus();
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/**
 * Makes one of the elements the tab stop: the last focused one, else the first that matches
 * `preferred`, else the first.
 */
export function ensureTabStop(root: HTMLElement, selector: string, preferred = selector): void {
  const all = [...root.querySelectorAll<HTMLElement>(selector)];
  const kept =
    all.find((stop) => stop.dataset['stop'] === 'yes') ??
    all.find((stop) => stop.matches(preferred)) ??
    all[0];
  for (const stop of all) stop.tabIndex = stop === kept ? 0 : -1;
}

function keepTabStop(all: readonly HTMLElement[], target: HTMLElement): void {
  for (const stop of all) {
    stop.tabIndex = stop === target ? 0 : -1;
    stop.dataset['stop'] = stop === target ? 'yes' : '';
  }
}

function placeAfter(key: string, at: number, count: number, mirrored: boolean): number | undefined {
  const forward = mirrored ? 'ArrowLeft' : 'ArrowRight';
  const backward = mirrored ? 'ArrowRight' : 'ArrowLeft';
  if (key === forward || key === 'ArrowDown') return (at + 1) % count;
  if (key === backward || key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export const isRightToLeft = (root: HTMLElement): boolean =>
  getComputedStyle(root).direction === 'rtl';

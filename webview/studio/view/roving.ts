/**
 * Moves the focus between the elements in `root` that match `selector` if the key is an arrow key, Home or End. Returns
 * true if the focus moved.
 */
export function moveFocus(root: HTMLElement, selector: string, event: KeyboardEvent): boolean {
  const elements = [...root.querySelectorAll<HTMLElement>(selector)];
  const index = elements.findIndex((element) => element === event.target);
  if (index === -1 || event.ctrlKey || event.altKey || event.metaKey) return false;
  const targetIndex = getIndexAfterKey(event.key, index, elements.length, isRightToLeft(root));
  const target = targetIndex === undefined ? undefined : elements[targetIndex];
  if (target === undefined) return false;
  setTabStop(elements, target);
  target.focus();
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/**
 * Adds one element that matches `selector` to the tab order: the last focused element, otherwise the first element that
 * matches `preferredSelector`, otherwise the first element.
 */
export function ensureTabStop(
  root: HTMLElement,
  selector: string,
  preferredSelector = selector,
): void {
  const elements = [...root.querySelectorAll<HTMLElement>(selector)];
  const tabStop =
    elements.find((stop) => stop.dataset['stop'] === 'yes') ??
    elements.find((stop) => stop.matches(preferredSelector)) ??
    elements[0];
  for (const stop of elements) stop.tabIndex = stop === tabStop ? 0 : -1;
}

function setTabStop(elements: readonly HTMLElement[], target: HTMLElement): void {
  for (const stop of elements) {
    stop.tabIndex = stop === target ? 0 : -1;
    stop.dataset['stop'] = stop === target ? 'yes' : '';
  }
}

function getIndexAfterKey(
  key: string,
  index: number,
  count: number,
  isMirrored: boolean,
): number | undefined {
  const forwardKey = isMirrored ? 'ArrowLeft' : 'ArrowRight';
  const backwardKey = isMirrored ? 'ArrowRight' : 'ArrowLeft';
  if (key === forwardKey || key === 'ArrowDown') return (index + 1) % count;
  if (key === backwardKey || key === 'ArrowUp') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export const isRightToLeft = (root: HTMLElement): boolean =>
  getComputedStyle(root).direction === 'rtl';

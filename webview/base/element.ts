/**
 * Adds the CSS rules of a lazily loaded module to the page. Adds the same rules only once. Uses a constructed style
 * sheet, because the content security policy forbids `style` elements.
 */
export function addStyle(css: string): void {
  if (addedStyles.has(css)) return;
  addedStyles.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

const addedStyles = new Set<string>();

/**
 * Creates an HTML element without lit, the template library. Use it in lazily loaded modules: if they imported lit, the
 * bundler would move lit out of the page's first bundle.
 */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Returns a codicon that screen readers ignore. */
export const createCodicon = (name: string): HTMLElement =>
  createElement('span', { class: `codicon codicon-${name}`, 'aria-hidden': 'true' });

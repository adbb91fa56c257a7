/**
 * Adds style rules of lazily loaded code to the page, each set of rules once. Uses a constructed style sheet, because
 * the content security policy forbids `style` elements.
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
 * Creates an element without the template library. Lazily loaded modules use this function, because an import of the
 * library in such a module would move the library from the page's first bundle into another bundle.
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

/** Adds rules to the page, once, that come with code that is loaded on first use. The policy allows no `style` element. */
export function addStyle(css: string): void {
  if (added.has(css)) return;
  added.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

const added = new Set<string>();

/**
 * An element with attributes and children, made without the template library: code that is loaded later and shares it
 * with the page would tear it out of the page's own file.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A codicon. It says nothing to a screen reader. */
export const codicon = (name: string): HTMLElement =>
  element('span', { class: `codicon codicon-${name}`, 'aria-hidden': 'true' });

import katex, { type KatexOptions } from 'katex';

/** KaTeX options that limit formulas, because model output is untrusted. `maxSize` is in em. */
const katexOptions: KatexOptions = {
  trust: false,
  throwOnError: true,
  strict: 'ignore',
  maxSize: 10,
  maxExpand: 200,
  output: 'htmlAndMathml',
};

const maxCachedFormulas = 256;
/** Rendered formulas by source, least recently used first. */
const cachedFormulas = new Map<string, HTMLElement>();

export const isCached = (source: string): boolean => cachedFormulas.has(source);

/**
 * Replaces the content of `element` with the rendered formula, or with code if the formula has an error. KaTeX creates
 * elements individually and parses no HTML.
 * @param source formula with its delimiters
 */
export function renderFormula(element: HTMLElement, source: string): void {
  const renderedFormula = cachedFormulas.get(source) ?? createContent(source);
  cachedFormulas.delete(source);
  cachedFormulas.set(source, renderedFormula);
  const [oldestSource] = cachedFormulas.keys();
  if (cachedFormulas.size > maxCachedFormulas && oldestSource !== undefined)
    cachedFormulas.delete(oldestSource);
  element.replaceChildren(...renderedFormula.cloneNode(true).childNodes);
}

/**
 * Matches commands that define other commands. Such a command could make a short formula produce millions of elements,
 * or contain text that is copied but not shown.
 */
const definitionPattern =
  /\\(?:[egx]?def|let|futurelet|global|long|newcommand|renewcommand|providecommand)(?![A-Za-z])/u;

function createContent(source: string): HTMLElement {
  const element = document.createElement('span');
  const delimiterLength = source.startsWith('$') && !source.startsWith('$$') ? 1 : 2;
  const displayMode = /^(?:\$\$|\\\[)/u.test(source);
  try {
    const tex = source.slice(delimiterLength, -delimiterLength);
    if (definitionPattern.test(tex)) throw new Error('A formula must not define commands.');
    katex.render(tex, element, { ...katexOptions, displayMode });
  } catch {
    const codeElement = document.createElement('code');
    codeElement.textContent = source;
    element.replaceChildren(codeElement);
  }
  return element;
}

/** Loads the style sheet of KaTeX from the folder of the page's style sheet. */
export async function prepareDocument(): Promise<void> {
  const pageStyleSheet = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]');
  if (!pageStyleSheet) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL('formulas.css', pageStyleSheet.href).href;
  await new Promise((resolve, reject) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', reject);
    document.head.append(link);
  });
}

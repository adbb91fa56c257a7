import themes from './themes.json' with { type: 'json' };

export const themeNames = ['dark', 'light', 'hc-dark', 'hc-light'] as const;
export type ThemeName = (typeof themeNames)[number];

/**
 * Pages of the extension by name, with title and file names. `surface` is the part of VS Code whose background color
 * the page uses.
 */
export const pageProperties = {
  chat: { title: 'Chat', script: 'main.js', style: 'style.css', surface: 'sideBar' },
  studio: { title: 'Image Studio', script: 'studio.js', style: 'studio.css', surface: 'editor' },
} as const;
export type PageName = keyof typeof pageProperties;

const nonce = 'page';

/** Content security policy of the real webview, but with the test server as the source of resources. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'nonce-${nonce}'`,
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  // Only for the image studio, which reads the bytes of its images.
  "connect-src 'self'",
].join('; ');

/**
 * Script that simulates VS Code's webview API. Appends posted messages to the global array `posted`. Keeps a separate
 * webview state for each URL, also after a reload.
 */
const fakeApiScript = `
  const stateKey = 'state ' + location.search;
  globalThis.posted = [];
  globalThis.violations = [];
  document.addEventListener('securitypolicyviolation', (event) =>
    violations.push(event.violatedDirective + ' ' + event.sample + ' ' + event.sourceFile));
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => void posted.push(message),
    getState: () => JSON.parse(sessionStorage.getItem(stateKey) ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem(stateKey, JSON.stringify(state)),
  });`;

/** Returns the default style sheet that VS Code adds to every webview. `surface` selects the background color. */
const createEditorStyle = (surface: string): string => `
  html { scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
  body { background-color: var(--vscode-${surface}-background); color: var(--vscode-foreground);
    font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); margin: 0; padding: 0 20px; }
  img, video { max-width: 100%; max-height: 100%; }
  a, a code { color: var(--vscode-textLink-foreground); }
  code { font-family: var(--vscode-editor-font-family); color: var(--vscode-textPreformat-foreground);
    background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }`;

export const bodyClasses: Record<ThemeName, string> = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'hc-dark': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
};

/** Returns the style sheet that VS Code adds to the webview in a theme. */
export function createThemeCss(theme: ThemeName, page: PageName = 'chat'): string {
  const variables = Object.entries(themes[theme]).map(([key, value]) => `${key}: ${value};`);
  return `:root { ${variables.join(' ')} } ${createEditorStyle(pageProperties[page].surface)}`;
}

export function createPageHtml(theme: ThemeName, page: PageName = 'chat'): string {
  const { title, script, style } = pageProperties[page];
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <link rel="stylesheet" href="/theme.css?theme=${theme}&page=${page}">
    <link rel="stylesheet" href="/${style}">
    <script nonce="${nonce}">${fakeApiScript}</script>
    <script type="module" nonce="${nonce}" src="/${script}"></script>
  </head>
  <body class="${bodyClasses[theme]}" data-vscode-theme-kind="vscode-${theme}">
    <div id="app"></div>
  </body>
</html>`;
}

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Returns the options of the extension's webviews. Scripts are enabled. Local resources are limited
 * to the bundle, the icons and `imageFolders`.
 * @param imageFolders Folders with images that the page shows.
 */
export function createWebviewOptions(
  extensionUri: vscode.Uri,
  imageFolders: readonly vscode.Uri[] = [],
): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [
      vscode.Uri.joinPath(extensionUri, 'dist', 'webview'),
      vscode.Uri.joinPath(extensionUri, 'media'),
      ...imageFolders,
    ],
  };
}

interface WebviewPage {
  readonly title: string;
  /** Name of the page's module in the bundle, without extension. */
  readonly script: string;
  readonly style: string;
  /**
   * True for a page in an editor tab, which shows its own buttons. False for a page in a view, whose buttons are in the
   * title bar of the view.
   */
  readonly isInEditorTab?: boolean;
  /**
   * True if the page's script may request the files of its images, to read their bytes. Scripts of other pages can make
   * no requests.
   */
  readonly readsImages?: boolean;
}

/**
 * Returns the HTML of a page with an empty root element, one style sheet and one module. The content security policy of
 * the page lists all allowed sources.
 */
export function createWebviewHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { title, script, style, isInEditorTab = false, readsImages = false }: WebviewPage,
): string {
  const getAssetUri = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString();
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    `connect-src ${readsImages ? webview.cspSource : "'none'"}`,
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta http-equiv="x-dns-prefetch-control" content="off">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${getAssetUri(`${style}.css`)}">
<title>${title}</title>
</head>
<body${isInEditorTab ? ' class="in-tab"' : ''}>
<div id="app"></div>
${createTranslationsScript(nonce, getAssetUri)}<script type="module" nonce="${nonce}" src="${getAssetUri(`${script}.js`)}"></script>
</body>
</html>`;
}

/**
 * Languages for which the build contains translations of the pages. In these languages, a text without a translation is
 * in English.
 */
const pageLanguages: readonly string[] = ['de', 'es', 'fr', 'ja', 'zh-cn'];

/**
 * Returns the script element with the translations for VS Code's language. English needs no
 * translations.
 */
function createTranslationsScript(nonce: string, getAssetUri: (name: string) => string): string {
  const language = vscode.env.language.toLowerCase();
  if (!pageLanguages.includes(language)) return '';
  return `<script nonce="${nonce}" src="${getAssetUri(`words.${language}.js`)}"></script>\n`;
}

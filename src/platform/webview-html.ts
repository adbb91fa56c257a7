import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Returns options for the extension's webviews. Scripts are enabled, and local resources are limited to the bundle and
 * the icons.
 * @param imageFolders Further folders with images that the page shows.
 */
export function webviewOptions(
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

interface Page {
  readonly title: string;
  /** Names of the page's module and style sheet in the bundle, without extension. */
  readonly script: string;
  readonly style: string;
  /** True for a page in an editor tab; false for a view, whose title bar has buttons. */
  readonly inTab?: boolean;
}

/** Returns the HTML of a page: an empty root, one style sheet and one module. The policy lists all allowed sources. */
export function webviewHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { title, script, style, inTab = false }: Page,
): string {
  const asset = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', name)).toString();
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    "connect-src 'none'",
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
<link rel="stylesheet" href="${asset(`${style}.css`)}">
<title>${title}</title>
</head>
<body${inTab ? ' class="in-tab"' : ''}>
<div id="app"></div>
${translationsScript(nonce, asset)}<script type="module" nonce="${nonce}" src="${asset(`${script}.js`)}"></script>
</body>
</html>`;
}

/** Languages whose page translations are in the build. Pages show missing texts in English. */
const pageLanguages: readonly string[] = ['de', 'es', 'fr', 'ja', 'zh-cn'];

/** Returns the script with the translations for VS Code's language. English texts are part of the pages. */
function translationsScript(nonce: string, asset: (name: string) => string): string {
  const language = vscode.env.language.toLowerCase();
  if (!pageLanguages.includes(language)) return '';
  return `<script nonce="${nonce}" src="${asset(`words.${language}.js`)}"></script>\n`;
}

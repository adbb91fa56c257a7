import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * What a webview of ours may do and load: our own bundle and icons, nothing from anywhere else.
 * @param pictures Folders whose pictures it shows.
 */
export function webviewOptions(
  extensionUri: vscode.Uri,
  pictures: readonly vscode.Uri[] = [],
): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [
      vscode.Uri.joinPath(extensionUri, 'dist', 'webview'),
      vscode.Uri.joinPath(extensionUri, 'media'),
      ...pictures,
    ],
  };
}

interface Page {
  readonly title: string;
  /** Of its module and its style sheet in the bundle, without an ending. */
  readonly script: string;
  readonly style: string;
  /** It stands in an editor tab, not in a view that has a title with buttons. */
  readonly inTab?: boolean;
}

/** A page of ours: an empty root, one style sheet, one module. The policy names everything it may load. */
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
${wordsScript(nonce, asset)}<script type="module" nonce="${nonce}" src="${asset(`${script}.js`)}"></script>
</body>
</html>`;
}

/** Languages with texts for pages in the build. A page shows a missing text in English. */
const pageLanguages: readonly string[] = ['de', 'es', 'fr', 'ja', 'zh-cn'];

/** The words of the editor's language; English ones are in the pages themselves. */
function wordsScript(nonce: string, asset: (name: string) => string): string {
  const language = vscode.env.language.toLowerCase();
  if (!pageLanguages.includes(language)) return '';
  return `<script nonce="${nonce}" src="${asset(`words.${language}.js`)}"></script>\n`;
}

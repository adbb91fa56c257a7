import * as vscode from 'vscode';

/** Binary data in a message or a tool result: an instance of a class that VS Code 1.106 introduced. */
export interface DataPart {
  readonly mimeType: string;
  readonly data: Uint8Array;
}

interface DataPartClass {
  new (data: Uint8Array, mimeType: string): DataPart;
  image(data: Uint8Array, mimeType: string): DataPart;
  json(value: unknown): DataPart;
}

/** Parts of VS Code's API that are newer than the oldest supported version. */
interface NewerApi {
  readonly LanguageModelDataPart?: DataPartClass;
  readonly QuickInputButtonLocation?: { readonly Input: number };
}
const getApi = (): NewerApi => vscode as unknown as NewerApi;

/**
 * Checks whether the editor is based on VS Code 1.`minorVersion` or newer. Use it only for features that cannot be
 * detected in another way.
 */
export function isVersionAtLeast(minorVersion: number): boolean {
  const [majorVersion = 0, currentMinorVersion = 0] = vscode.version.split('.').map(Number);
  return majorVersion > 1 || (majorVersion === 1 && currentMinorVersion >= minorVersion);
}

/** Returns the class of data parts; undefined in some versions of VS Code before 1.106. */
export const getDataPartClass = (): DataPartClass | undefined => getApi().LanguageModelDataPart;

export function isDataPart(part: unknown): part is DataPart {
  const Part = getDataPartClass();
  return Part !== undefined && part instanceof Part;
}

interface ToolResultContent {
  readonly text: string;
  /** Structured data with the same content as `text`. */
  readonly data?: unknown;
  readonly images?: readonly { readonly bytes: Uint8Array; readonly mimeType: string }[];
}

/** Creates the result of a tool call. In versions of VS Code without data parts, the result contains only the text. */
export function createToolResult(content: ToolResultContent): vscode.LanguageModelToolResult {
  const { text, data, images = [] } = content;
  const Part = getDataPartClass();
  const parts: unknown[] = [new vscode.LanguageModelTextPart(text)];
  if (Part !== undefined) {
    if (data !== undefined) parts.push(Part.json(data));
    parts.push(...images.map(({ bytes, mimeType }) => Part.image(bytes, mimeType)));
  }
  // The type of the oldest supported version lacks data parts.
  return new vscode.LanguageModelToolResult(parts as vscode.LanguageModelTextPart[]);
}

/**
 * Returns the property that places a quick pick button in the input box. Older versions of VS Code ignore the property
 * and show the button in the title bar.
 */
export const createInputLocation = (): object => ({
  location: getApi().QuickInputButtonLocation?.Input,
});

/**
 * Sets the icon of an editor tab. VS Code before version 1.110 shows the default icon, because it accepts only image
 * files and no codicons.
 * @param icon Name of a codicon.
 */
export function setTabIcon(panel: vscode.WebviewPanel, icon: string): void {
  if (!isVersionAtLeast(110)) return;
  (panel as { iconPath?: unknown }).iconPath = new vscode.ThemeIcon(icon);
}

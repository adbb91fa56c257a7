import * as vscode from 'vscode';
import { detectFileContent } from '../../workspace/file-content.ts';
import { formatAttachment } from '../../conversation/prompt.ts';
import type { ContentPart } from '../../service/chat/chat-types.ts';
import { getPathForModel } from '../../workspace/vscode/documents.ts';
import { mayContainSecrets } from '../../workspace/vscode/send-consent.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';

interface ContextOptions {
  readonly stream: vscode.ChatResponseStream;
  /** True if the model accepts images. */
  readonly supportsVision: boolean;
}

/** Maximum length of one file or selection in characters. */
const maxTextLength = 200_000;
const maxImageBytes = 10 * 1024 * 1024;

/** Slash commands that use the active editor's code if the user attached nothing. */
const codeCommands: ReadonlySet<string | undefined> = new Set(['explain', 'fix', 'tests', 'doc']);

/**
 * Builds message parts from the references attached to a request. Omits files that may contain secrets, and lists the
 * omitted files in the answer. Omits all references in an untrusted workspace, because the extension cannot tell which
 * text comes from the workspace.
 */
export async function buildRequestContext(
  request: vscode.ChatRequest,
  options: ContextOptions,
): Promise<readonly ContentPart[]> {
  const referenceValues = request.references.map(({ value }) => value);
  const values =
    referenceValues.length > 0 || !codeCommands.has(request.command)
      ? referenceValues
      : listActiveReferences();
  if (values.length > 0 && !vscode.workspace.isTrusted) {
    options.stream.markdown(
      `${vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.')}\n\n`,
    );
    return [];
  }
  const parts: ContentPart[] = [];
  for (const value of values) parts.push(...(await toContentParts(value, options)));
  if (request.command !== 'fix') return parts;
  for (const value of values) parts.push(...(await toProblemParts(value)));
  return parts;
}

/**
 * Returns the selection in the active editor, or the editor's file if nothing is selected. Empty without an editor.
 */
function listActiveReferences(): (vscode.Location | vscode.Uri)[] {
  const editor = findActiveOrVisibleEditor();
  if (editor === undefined) return [];
  const { document, selection } = editor;
  return [selection.isEmpty ? document.uri : new vscode.Location(document.uri, selection)];
}

async function toContentParts(value: unknown, options: ContextOptions): Promise<ContentPart[]> {
  if (typeof value === 'string') return [toTextPart('text', '', value)];
  const { uri, range } = toUriAndRange(value);
  if (uri === undefined) return [];
  const label = getPathForModel({ uri });
  if (await mayContainSecrets(uri)) {
    options.stream.markdown(
      createPlainMarkdown(
        vscode.l10n.t('Files not sent, because they may hold secrets: {0}', label),
      ),
    );
    return [];
  }
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    options.stream.reference(range === undefined ? uri : new vscode.Location(uri, range));
    const lineRange = range === undefined ? '' : `:${range.start.line + 1}-${range.end.line + 1}`;
    return [toTextPart(`${label}${lineRange}`, document.languageId, document.getText(range))];
  } catch {
    return toImageParts(uri, label, options);
  }
}

/**
 * Returns an array with the image as a message part. Returns an empty array and adds a note to the answer if the model
 * does not accept images, or if the file is not a readable image.
 */
async function toImageParts(
  uri: vscode.Uri,
  label: string,
  { stream, supportsVision }: ContextOptions,
): Promise<ContentPart[]> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (supportsVision && size <= maxImageBytes) {
      const bytes = await vscode.workspace.fs.readFile(uri);
      const content = detectFileContent(bytes);
      if (content.kind === 'image') {
        stream.reference(uri);
        const data = Buffer.from(bytes).toString('base64');
        const url = `data:${content.mediaType};base64,${data}`;
        return [{ type: 'image_url', image_url: { url } }];
      }
    }
  } catch {
    // The code below reports the failure.
  }
  stream.markdown(
    createPlainMarkdown(
      vscode.l10n.t('{0} cannot be read by this model, and was not sent.', label),
    ),
  );
  return [];
}

function toUriAndRange(value: unknown): {
  readonly uri?: vscode.Uri;
  readonly range?: vscode.Range;
} {
  if (value instanceof vscode.Uri) return { uri: value };
  return value instanceof vscode.Location ? { uri: value.uri, range: value.range } : {};
}

async function toProblemParts(value: unknown): Promise<ContentPart[]> {
  const { uri, range } = toUriAndRange(value);
  if (uri === undefined || (await mayContainSecrets(uri))) return [];
  const diagnostics = vscode.languages
    .getDiagnostics(uri)
    .filter(
      (diagnostic) => range === undefined || diagnostic.range.intersection(range) !== undefined,
    )
    .slice(0, 50);
  if (diagnostics.length === 0) return [];
  const label = `Problems of ${getPathForModel({ uri })}`;
  const diagnosticLines = diagnostics.map(
    ({ range: { start }, message }) => `Line ${start.line + 1}: ${message}`,
  );
  return [toTextPart(label, '', diagnosticLines.join('\n'))];
}

const toTextPart = (label: string, language: string, text: string): ContentPart => ({
  type: 'text',
  text: formatAttachment({
    id: '',
    kind: 'file',
    label,
    language,
    text: text.length > maxTextLength ? `${text.slice(0, maxTextLength)}\n[truncated]` : text,
  }),
});

function createPlainMarkdown(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  markdown.appendText(`${text}\n\n`);
  return markdown;
}

import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { createAltText, createImageFileName, createNameLookup } from '../image-text.ts';
import { type ImageHeader, isCompleteImage, readImageHeader } from '../image-header.ts';
import { formatImageReference } from '../image-reference.ts';
import { createChatCompletion } from '../../service/chat/chat.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import type { Host } from '../../host.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import { chooseImageFolder, authorizeFolder } from './image-location.ts';

/** Image data that the user pasted or dropped into a document. */
export interface PastedImage {
  readonly bytes: Uint8Array;
  readonly header: ImageHeader;
  readonly document: vscode.TextDocument;
}

/** Edit that creates the image file and inserts a reference, as one undo step. */
export interface PastedEdit {
  /** Reference as plain text. VS Code ignores a snippet if it is created while the edit is being applied. */
  readonly insertText: string;
  readonly additionalEdit: vscode.WorkspaceEdit;
}

/**
 * Maximum size in bytes of an image for which a description is requested. The request contains the image as a data URL,
 * which is a third larger.
 */
const maxDescribedBytes = 8 * 1024 * 1024;
const timeoutMs = 20_000;

const question =
  'Describe this image as alternative text for a screen reader: one plain sentence of at most 100 characters, without "image of", quotes or Markdown.';

/**
 * Returns the first complete image in pasted or dropped data. Returns undefined if there is none, or if the workspace
 * is untrusted.
 */
export async function readPastedImage(
  data: vscode.DataTransfer,
  document: vscode.TextDocument,
): Promise<PastedImage | undefined> {
  if (!vscode.workspace.isTrusted || chooseImageFolder(document).kind !== 'folder')
    return undefined;
  for (const type of pastedTypes) {
    const bytes = await data.get(type)?.asFile()?.data();
    const header = bytes && readImageHeader(bytes);
    if (header === undefined || bytes === undefined) continue;
    const fingerprint = {
      head: bytes.subarray(0, 64),
      tail: bytes.slice(-64),
      length: bytes.length,
    };
    if (isCompleteImage(header.format, fingerprint)) return { bytes, header, document };
  }
  return undefined;
}

export const pastedTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

/**
 * Requests a description of the image, and creates an edit that saves the image and inserts a reference with the
 * description as alternative text. If no description is available, the alternative text is empty.
 * @returns undefined if the image must not be written, or if the user cancels
 */
export async function createPasteEdit(
  host: Host,
  clock: Clock,
  { bytes, header, document }: PastedImage,
  token: vscode.CancellationToken,
): Promise<PastedEdit | undefined> {
  const choice = chooseImageFolder(document);
  if (choice.kind !== 'folder' || !(await authorizeFolder(choice.folder))) return undefined;
  const alt =
    bytes.length > maxDescribedBytes ? '' : await requestDescription(host, clock, bytes, token);
  if (token.isCancellationRequested) return undefined;
  const file = await findUnusedFile(choice.folder, alt, header.format);
  const additionalEdit = new vscode.WorkspaceEdit();
  additionalEdit.createFile(file, { contents: bytes, overwrite: false });
  const path = posix.relative(posix.dirname(document.uri.path), file.path);
  const { text } = formatImageReference('markdown', { path, alt, width: 0, height: 0 });
  return { insertText: text, additionalEdit };
}

async function findUnusedFile(
  folder: vscode.Uri,
  alt: string,
  format: ImageHeader['format'],
): Promise<vscode.Uri> {
  const existingEntries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(
    () => [],
  );
  const isNameUsed = createNameLookup(existingEntries.map(([name]) => name));
  return vscode.Uri.joinPath(folder, createImageFileName({ prompt: alt, format, isNameUsed }));
}

/**
 * Requests a description of the image from a vision model.
 * @returns an empty string if there is no vision model, the request fails or the time limit is exceeded
 */
async function requestDescription(
  host: Host,
  clock: Clock,
  bytes: Uint8Array,
  token: vscode.CancellationToken,
): Promise<string> {
  const model = findVisionModelId(host);
  if (model === undefined) return '';
  const canceller = new AbortController();
  const abortRequest = (): void => canceller.abort();
  const subscription = token.onCancellationRequested(abortRequest);
  const stopTimer = clock.after(timeoutMs, abortRequest);
  const profile = host.account.profile;
  try {
    const { format } = readImageHeader(bytes) ?? { format: 'png' };
    const url = `data:image/${format};base64,${Buffer.from(bytes).toString('base64')}`;
    const content = [
      { type: 'text', text: question },
      { type: 'image_url', image_url: { url } },
    ] as const;
    const { text, info } = await createChatCompletion(
      host.service,
      {
        model,
        messages: [{ role: 'user', content: [...content] }],
        parameters: { include_system_prompt: false },
      },
      { signal: canceller.signal, isBackground: true },
    );
    host.account.reportOutcome(info, profile);
    return createAltText(text);
  } catch (error) {
    const { failure } = toServiceError(error);
    if (failure.code !== 'stopped') host.account.reportOutcome(failure, profile);
    host.log.warn(`Could not describe a pasted image: ${failure.code}`);
    return '';
  } finally {
    subscription.dispose();
    stopTimer();
  }
}

/**
 * Returns the id of a model that can describe images. Prefers the service's default vision model, then the chat model
 * if it accepts images, then any vision model. Otherwise, returns the chat model if its vision support is unknown.
 * Undefined if there is no such model.
 */
function findVisionModelId({ models }: Host): string | undefined {
  const visionModels = models.models.filter(
    ({ type, offline, capabilities }) =>
      type === 'text' &&
      !offline &&
      capabilities.supportsVision !== false &&
      !shouldEncryptChats({ capabilities }),
  );
  const confirmedModels = visionModels.filter(
    ({ capabilities }) => capabilities.supportsVision === true,
  );
  const model =
    visionModels.find(({ traits }) => traits.includes('default_vision')) ??
    confirmedModels.find(({ id }) => id === models.chatModel?.id) ??
    confirmedModels[0] ??
    visionModels.find(({ id }) => id === models.chatModel?.id);
  return model?.id;
}

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../base/clock.ts';
import { toSingleLine } from '../../base/hidden-characters.ts';
import { isAnimated, detectImageType } from '../../base/image-format.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import type { OpenChat } from './open-chat.ts';
import type { Attachment, Media } from '../../conversation/conversation.ts';
import { detectDocumentFormat, mediaFormats } from '../../conversation/media-format.ts';
import {
  maxDocuments,
  maxMediaBytes,
  maxMessageMediaBytes,
  maxImages,
  maxImageSidePx,
  minImageSidePx,
} from '../../conversation/protocol.ts';
import { cleanMedia, MediaFiles, getMediaFolder } from '../../conversation/vscode/media-files.ts';
import { isCompleteImage, readImageHeader } from '../../image/image-header.ts';
import { readRegularFile } from '../../platform/files.ts';
import { isOnDisk } from '../../workspace/vscode/real-paths.ts';

/**
 * Returns the label of a new attachment: its file name, with a number if another attached file has the same name. If
 * the same file is already attached, returns the label of its attachment.
 */
export function createUnusedLabel(
  { name, file }: Media,
  attachments: readonly Attachment[],
): string {
  const identicalFile = attachments.find(({ media }) => media?.file === file);
  if (identicalFile !== undefined) return identicalFile.label;
  const usedLabels = new Set(attachments.map(({ label }) => label));
  const dotIndex = name.lastIndexOf('.');
  const [stem, extension] =
    dotIndex > 0 ? [name.slice(0, dotIndex), name.slice(dotIndex)] : [name, ''];
  let label = name;
  for (let count = 2; usedLabels.has(label); count += 1) label = `${stem} (${count})${extension}`;
  return label;
}

/** Name and content of a file to attach. */
export interface FileBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type ScaledMedia = Extract<WebviewMessage, { type: 'media-scaled' }>;

/**
 * Time limit in milliseconds for scaling an image. Sufficient if the page is still loading and the image has 100
 * million pixels.
 */
const scalingTimeoutMs = 20_000;

/** Requests scaled images from the chat page, because the extension host has no image codecs. */
export class PageScaling {
  readonly #clock: Clock;
  readonly #waitingCallbacks = new Map<string, (scaledMedia: ScaledMedia | undefined) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the page's reply, which contains the scaled image or the reason for a failure. Resolves to `undefined` if
   * no page shows the chat or the page exceeds the time limit.
   */
  async requestScaledMedia(
    { name, bytes }: FileBytes,
    chat: OpenChat,
  ): Promise<ScaledMedia | undefined> {
    const { postToPage } = chat;
    if (postToPage === undefined) return undefined;
    const id = randomBytes(9).toString('base64url');
    const replyPromise = new Promise<ScaledMedia | undefined>((resolve) =>
      this.#waitingCallbacks.set(id, resolve),
    );
    const stopTimer = this.#clock.after(scalingTimeoutMs, () =>
      this.#resolveRequest(id, undefined),
    );
    // A file system provider may return a subclass of `Uint8Array`, which `postMessage` cannot transfer, so the bytes are
    // copied.
    postToPage({ type: 'media-scale', id, name: name.slice(0, 200), bytes: new Uint8Array(bytes) });
    return replyPromise.finally(stopTimer);
  }

  /** Resolves the pending request with the scaled image. Must be called when the page replies. */
  onMediaScaled(scaledMedia: ScaledMedia): void {
    this.#resolveRequest(scaledMedia.id, scaledMedia);
  }

  #resolveRequest(id: string, scaledMedia: ScaledMedia | undefined): void {
    this.#waitingCallbacks.get(id)?.(scaledMedia);
    this.#waitingCallbacks.delete(id);
  }
}

const maxNameLength = 200;

/** Attaches images and documents to messages. Detects the format only from the bytes, not from the file name. */
export class MediaAttacher {
  readonly #files: MediaFiles;
  readonly #folder: vscode.Uri;
  readonly #scaling = new PageScaling(systemClock);

  constructor(context: vscode.ExtensionContext) {
    this.#folder = getMediaFolder(context);
    this.#files = new MediaFiles(this.#folder.fsPath);
    void cleanMedia(context);
  }

  /**
   * Reads a file that may be an image or a document.
   * @returns the file; `undefined` if the file has another format or cannot be read; an error message if the file is
   * too large
   */
  async readFile(uri: vscode.Uri): Promise<FileBytes | string | undefined> {
    const name = uri.path.split('/').at(-1) ?? '';
    const bytes = await readBytes(uri);
    if (bytes === undefined) return undefined;
    if (bytes === 'too-long') return formatTooLargeMessage(name);
    return isMedia(bytes) ? { name, bytes } : undefined;
  }

  /**
   * Attaches an image or a document. Scales the image first if necessary.
   * @returns an error message, or a note about the scaling; `undefined` if there is nothing to report
   */
  async attachScaled(file: FileBytes, chat: OpenChat): Promise<string | undefined> {
    if (detectImageType(file.bytes) === undefined || canSendUnchanged(file.bytes))
      return this.attachFile(file, chat);
    const scaledMedia = await this.#scaling.requestScaledMedia(file, chat);
    if (scaledMedia === undefined) return this.attachFile(file, chat);
    if (scaledMedia.bytes === null) return scaledMedia.note;
    return (
      (await this.attachFile({ ...file, bytes: scaledMedia.bytes }, chat)) ??
      (scaledMedia.note || undefined)
    );
  }

  /**
   * Attaches a document, or an image that needs no scaling.
   * @returns an error message if the file was not attached
   */
  async attachFile(
    { name: originalName, bytes }: FileBytes,
    chat: OpenChat,
  ): Promise<string | undefined> {
    const name =
      toSingleLine(originalName.split(/[/\\]/u).at(-1) ?? '').slice(0, maxNameLength) || 'file';
    if (bytes.length > maxMediaBytes) return formatTooLargeMessage(name);
    const format = detectDocumentFormat(bytes);
    if (format === undefined) return this.#addImage({ name, bytes }, chat);
    const refusal = formatLimitMessage('document', bytes, chat);
    if (refusal !== undefined) return refusal;
    const { mediaType, extension: fileExtension } = mediaFormats[format];
    const file = await this.#files.storeFile(bytes, fileExtension);
    addMediaToChat(chat, 'document', { file, mediaType, bytes: bytes.length, name });
    return undefined;
  }

  handleScaledMedia(message: Extract<WebviewMessage, { type: 'media-scaled' }>): void {
    this.#scaling.onMediaScaled(message);
  }

  /**
   * Opens an attached image in an editor tab.
   * @returns an error message if the image no longer exists
   */
  async openImage(media: Media): Promise<string | undefined> {
    if ((await this.#files.get(media.file)) === undefined) {
      return vscode.l10n.t('{0} is no longer where it was.', media.name);
    }
    const uri = vscode.Uri.joinPath(this.#folder, media.file);
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true }, media.name);
    return undefined;
  }

  async #addImage({ name, bytes }: FileBytes, chat: OpenChat): Promise<string | undefined> {
    const header = readImageHeader(bytes);
    const fileParts = {
      head: bytes.subarray(0, 64),
      tail: bytes.subarray(-64),
      length: bytes.length,
    };
    if (header === undefined || !isCompleteImage(header.format, fileParts)) {
      return vscode.l10n.t(
        '{0} is damaged or not a PNG, JPEG or WebP image. Choose another one.',
        name,
      );
    }
    const { width, height, format } = header;
    if (Math.min(width, height) < minImageSidePx) {
      return vscode.l10n.t(
        '{0} has {1} × {2} pixels. The service takes images from {3} pixels on each side.',
        name,
        width,
        height,
        minImageSidePx,
      );
    }
    const refusal = formatLimitMessage('image', bytes, chat);
    if (refusal !== undefined) return refusal;
    const { mediaType, extension: fileExtension } = mediaFormats[format];
    const file = await this.#files.storeFile(bytes, fileExtension);
    addMediaToChat(chat, 'image', { file, mediaType, bytes: bytes.length, width, height, name });
    return undefined;
  }
}

/** Checks whether the bytes are an image or a document that can be attached. */
export const isMedia = (bytes: Uint8Array): boolean =>
  detectImageType(bytes) !== undefined || detectDocumentFormat(bytes) !== undefined;

/**
 * Checks whether an image can be sent without scaling. Returns false for JPEG files, because their metadata may
 * contain the user's location.
 */
function canSendUnchanged(bytes: Uint8Array): boolean {
  const header = readImageHeader(bytes);
  if (header === undefined || header.format === 'jpeg') return false;
  return (
    Math.max(header.width, header.height) <= maxImageSidePx && !isAnimated(bytes, header.format)
  );
}

async function readBytes(uri: vscode.Uri): Promise<Uint8Array | 'too-long' | undefined> {
  try {
    if (isOnDisk(uri)) {
      const file = await readRegularFile(uri.fsPath, { maxFileBytes: maxMediaBytes });
      return typeof file === 'string' && file !== 'too-long' ? undefined : file;
    }
    const { type, size } = await vscode.workspace.fs.stat(uri);
    // The type of a symbolic link to a file has both the link bit and the file bit.
    if ((type & vscode.FileType.File) === 0) return undefined;
    return size > maxMediaBytes ? 'too-long' : await vscode.workspace.fs.readFile(uri);
  } catch {
    return undefined;
  }
}

function addMediaToChat(chat: OpenChat, kind: 'image' | 'document', media: Media): void {
  chat.attach({
    id: randomBytes(9).toString('base64url'),
    kind,
    label: createUnusedLabel(media, chat.attachments),
    language: '',
    text: '',
    media,
  });
}

function formatLimitMessage(
  kind: 'image' | 'document',
  bytes: Uint8Array,
  chat: OpenChat,
): string | undefined {
  const count = chat.attachments.filter((attachment) => attachment.kind === kind).length;
  if (kind === 'image' && count >= maxImages) {
    return vscode.l10n.t('A message takes at most {0} images. Remove one first.', maxImages);
  }
  if (kind === 'document' && count >= maxDocuments) {
    return vscode.l10n.t('A message takes at most {0} documents. Remove one first.', maxDocuments);
  }
  if (sumBytes(chat.attachments) + bytes.length <= maxMessageMediaBytes) return undefined;
  return vscode.l10n.t(
    'Images and documents of one message may have 25 MB together. Remove one first.',
  );
}

const sumBytes = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, { media }) => sum + (media?.bytes ?? 0), 0);

const formatTooLargeMessage = (name: string): string =>
  vscode.l10n.t('{0} is larger than 25 MB, which the service does not take.', name);

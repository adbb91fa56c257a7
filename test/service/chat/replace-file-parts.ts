import { extractText, maxFileBytes } from '../files/extract-text.ts';
import { ApiError } from '../api-error.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';
import type { ChatCall } from './call.ts';
import { type MediaPart, listContentParts } from './messages.ts';

const maxFiles = 5;

/**
 * Replaces each file part of the messages with the text of the file, because models accept no files. An unreadable file
 * is replaced with a note.
 * @throws ApiError 400 if a message has more than five files, 413 if a file is larger than 25 MB
 */
export async function replaceFileParts(call: ChatCall): Promise<ChatCall> {
  const messages = await Promise.all(
    call.body.messages.map(async (message, index) => {
      if (message.role !== 'user' || typeof message.content === 'string') return message;
      const parts = listContentParts(message);
      if (parts.filter(isFilePart).length > maxFiles) throw createTooManyFilesError(index);
      const content = await Promise.all(
        parts.map(async (part) => (isFilePart(part) ? toTextPart(part) : part)),
      );
      return { ...message, content };
    }),
  );
  return { ...call, body: { ...call.body, messages } };
}

type FilePart = Extract<MediaPart, { type: 'file' }>;

const isFilePart = (part: MediaPart): part is FilePart => part.type === 'file';

const createTooManyFilesError = (index: number): ApiError =>
  createInvalidRequestError([
    createCustomIssue(['messages', index, 'content'], `At most ${maxFiles} file parts are allowed`),
  ]);

async function toTextPart({ file }: FilePart): Promise<Extract<MediaPart, { type: 'text' }>> {
  const name = (file.filename ?? 'file').replace(/[\s`~]+/g, ' ').slice(0, 200);
  const bytes = await readBytes(file.file_data);
  if (bytes !== undefined && bytes.length > maxFileBytes) throw createTooLargeError();
  return {
    type: 'text',
    text: bytes === undefined ? formatUnreadableNote(name) : toFencedText(name, bytes),
  };
}

function toFencedText(name: string, bytes: Buffer): string {
  try {
    const text = extractText(bytes);
    const maxRunLength = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(maxRunLength + 1);
    return `${fence}${getFenceLanguage(name)} ${name}\n${text}\n${fence}`;
  } catch {
    return formatUnreadableNote(name);
  }
}

const formatUnreadableNote = (name: string): string => `[The file ${name} could not be read.]`;

const documentExtensionsPattern = /\.(?:pdf|docx|pptx|xlsx|xls|epub|md)$/i;

function getFenceLanguage(name: string): string {
  const extension = /\.(\w{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? 'text';
  if (documentExtensionsPattern.test(name)) return 'markdown';
  return /^(?:txt|csv|log)$/.test(extension) ? 'text' : extension;
}

/**
 * Reads a data URL, a base64 text, or a URL on this machine. Returns undefined for other URLs, because the service
 * never connects to another machine.
 */
async function readBytes(data: string): Promise<Buffer | undefined> {
  if (/^https?:/i.test(data)) return downloadFile(data);
  const commaIndex = data.slice(0, 205).indexOf(',');
  if (!data.startsWith('data:') || commaIndex < 0) return decodeBase64(data);
  const encodedData = data.slice(commaIndex + 1);
  if (data.slice(0, commaIndex).endsWith(';base64')) return decodeBase64(encodedData);
  return Buffer.from(decodePercentEncoding(encodedData));
}

/**
 * Decodes base64. Returns undefined for other text. Matches the text in chunks, because matching 33 MB at once can
 * exhaust the stack.
 */
function decodeBase64(text: string): Buffer | undefined {
  if (text === '') return undefined;
  for (let start = 0; start < text.length; start += 65_536) {
    if (!/^[\w+/=\s-]+$/.test(text.slice(start, start + 65_536))) return undefined;
  }
  return Buffer.from(text, 'base64');
}

async function downloadFile(url: string): Promise<Buffer | undefined> {
  if (URL.parse(url)?.hostname !== '127.0.0.1') return undefined;
  const reply = await fetch(url, { redirect: 'error' }).catch(() => undefined);
  return reply?.ok === true ? Buffer.from(await reply.arrayBuffer()) : undefined;
}

function decodePercentEncoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const createTooLargeError = (): ApiError =>
  new ApiError(413, {
    code: 'PAYLOAD_TOO_LARGE',
    error: `File is too large. It must have at most ${maxFileBytes / 1024 / 1024} MB.`,
  });

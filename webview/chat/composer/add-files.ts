import * as l10n from '@vscode/l10n';
import { pictureFormat } from '../../../src/base/image-format.ts';
import { maxMediaBytes } from '../../../src/conversation/protocol.ts';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import type { Post } from '../../base/code-api.ts';
import { type Scaled, scalePicture } from './scale-picture.ts';

interface AddContext {
  /** Of the chat that the files are for. */
  readonly conversationId: string;
  readonly post: Post;
  readonly notice: (text: string) => void;
}

/** As many as a message takes of both kinds; the host says which of them are too many. */
const mostFiles = 15;
const longestName = 200;

/** Gives what was pasted or dropped to the host; pictures are scaled first. */
export async function addFiles(files: readonly File[], context: AddContext): Promise<void> {
  const notes: string[] = [];
  if (files.length > mostFiles)
    notes.push(l10n.t('Only the first {0} files are attached.', mostFiles));
  for (const file of files.slice(0, mostFiles)) {
    // One after the other: decoded, each may take hundreds of megabytes.
    // oxlint-disable-next-line eslint/no-await-in-loop
    const { bytes, note } = await prepared(file);
    if (note !== '') notes.push(note);
    if (bytes === null) continue;
    const { conversationId, post } = context;
    post({ type: 'media-add', conversationId, name: nameOf(file), bytes });
  }
  if (notes.length > 0) context.notice(notes.join(' '));
}

/** Answers the host, which has a picture from elsewhere. */
export async function scaleForHost(
  { id, name, bytes }: Extract<HostMessage, { type: 'media-scale' }>,
  post: Post,
): Promise<void> {
  const scaled = await scalePicture(name, bytes);
  post({ type: 'media-scaled', id, ...scaled });
}

async function prepared(file: File): Promise<Scaled> {
  const name = nameOf(file);
  if (file.size > maxMediaBytes) {
    const note = l10n.t('{0} is larger than 25 MB, which the service does not take.', name);
    return { bytes: null, note };
  }
  if (file.size === 0) return { bytes: null, note: l10n.t('{0} is empty.', name) };
  const bytes = await file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
  // A folder, for one.
  if (bytes === undefined) return { bytes: null, note: l10n.t('{0} cannot be read.', name) };
  return pictureFormat(bytes) === undefined ? { bytes, note: '' } : scalePicture(name, bytes);
}

const nameOf = ({ name }: File): string => name.slice(0, longestName) || 'file';

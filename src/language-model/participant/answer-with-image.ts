import * as vscode from 'vscode';
import { ServiceError } from '../../service/http/failure.ts';
import type { Images } from '../../image/vscode/images.ts';

interface Asked {
  readonly images: Images;
  readonly prompt: string;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
}

/**
 * Makes a picture, as the last one was made, and says where it is.
 * @throws ServiceError
 */
export async function answerWithImage({ images, prompt, stream, signal }: Asked): Promise<void> {
  const { chat, gallery } = await imageParts(images);
  if (prompt.trim() === '') {
    stream.markdown(vscode.l10n.t('Type what the picture shows, behind the command.'));
    return;
  }
  stream.progress(vscode.l10n.t('Generating an image'));
  const { images: made, failure } = await chat.make(prompt, {
    signal,
    onRetryWait: () => stream.progress(vscode.l10n.t('Trying again…')),
    onReply: () => {},
  });
  if (failure !== undefined) throw new ServiceError(failure);
  for (const { id, caption } of made) {
    const record = await gallery.find(id);
    const said = new vscode.MarkdownString();
    said.appendText(caption);
    stream.markdown(said);
    if (record !== undefined) stream.anchor(vscode.Uri.file(gallery.picturePath(record)));
  }
  stream.button({
    command: 'inferenceService.openImageStudio',
    title: vscode.l10n.t('Open the image studio'),
  });
}

async function imageParts(images: Images) {
  const { chat, gallery } = await images.runtime();
  return { chat, gallery };
}

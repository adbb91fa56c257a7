import { posix } from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../base/json.ts';
import type { ImageRecord } from '../image-record.ts';
import { formatIn, languageOf } from '../reference.ts';
import type { ImageFormat } from '../../service/images/image-types.ts';
import {
  showWithActions,
  showError,
  showInformation,
  showWarning,
} from '../../platform/notifications.ts';
import { shownEditor } from '../../platform/window.ts';
import { askForPrompt, type ImageWish, promptProblem } from './prompt-input.ts';
import { maySendSelection } from '../../workspace/vscode/send-consent.ts';
import {
  type AllowedFolder,
  askForPlace,
  folderFor,
  mayWriteTo,
  openFolderSetting,
} from './image-location.ts';
import { type ImageParts, runWithProgress } from './image-parts.ts';
import { insertReference, referenceText, TrackedPosition } from './insert-reference.ts';
import { fileErrorText, violationText } from './image-failure.ts';
import { planWish } from './plan-image.ts';
import { nameFor } from './save-image.ts';

interface Place {
  readonly editor: vscode.TextEditor | undefined;
  /** Where the picture may be written; `ask` when only the person can say. */
  readonly folder: AllowedFolder | 'ask';
}

/** "Insert Image…": asks for a prompt (a selection begins it), makes the picture, saves it, and refers to it at the cursor. */
export async function insertImage(parts: ImageParts, typed?: string): Promise<void> {
  const editor = shownEditor();
  if (!(await parts.ensureModels())) return;
  const choice = folderFor(editor?.document);
  if (choice.kind === 'problem') return tellProblem(choice.text);
  const wish = await askForPrompt({
    choice: parts.choice,
    prompt: typed ?? (await selectedPrompt(editor)) ?? '',
    recent: await recentPrompts(parts),
    openStudio: (prompt) => parts.openStudio(prompt),
  });
  if (wish === undefined) return;
  const folder = await writableFolder(editor?.document);
  if (folder !== 'none') await insertWish(parts, { editor, folder }, wish);
}

/** The selection is the prompt, and the picture comes at once as the last one was made. */
export async function generateFromSelection(parts: ImageParts): Promise<void> {
  const editor = shownEditor();
  if (!(await parts.ensureModels())) return;
  const { model, options } = parts.choice;
  const prompt = await selectedPrompt(editor);
  if (prompt === undefined) return;
  // What cannot be sent as it is can be mended in the input.
  if (model === undefined || promptProblem(model, prompt) !== undefined) {
    await insertImage(parts, prompt);
    return;
  }
  const folder = await writableFolder(editor?.document);
  if (folder !== 'none') await insertWish(parts, { editor, folder }, { model, prompt, options });
}

async function insertWish(
  parts: ImageParts,
  { editor, folder }: Place,
  wish: ImageWish,
): Promise<void> {
  const options = {
    ...wish.options,
    ...formatFor(editor?.document, wish.options.format),
    seed: parts.randomSeed(),
  };
  const place =
    editor === undefined ? undefined : new TrackedPosition(editor.document, editor.selection.end);
  try {
    const record = await makePicture(parts, { ...wish, options });
    if (record === undefined) return;
    const again = (): Promise<void> => insertImage(parts, wish.prompt);
    if (!(await isWanted(parts, record, again))) return;
    const picture = await savePicture(parts, record, folder);
    if (picture !== undefined) await refer(parts, { record, picture, place });
  } finally {
    place?.dispose();
  }
}

/** @returns where pictures of the document may go; `ask` when only the person can say; `none` when they said no, or know why not */
export async function writableFolder(
  document: vscode.TextDocument | undefined,
): Promise<AllowedFolder | 'ask' | 'none'> {
  const choice = folderFor(document);
  switch (choice.kind) {
    case 'ask':
      return 'ask';
    case 'problem':
      await tellProblem(choice.text);
      return 'none';
    case 'folder':
      return (await mayWriteTo(choice.folder)) ?? 'none';
  }
}

const tellProblem = (text: string): Promise<void> =>
  showWithActions(showError, text, [openFolderSetting()]);

/** @returns the picture; undefined when there is none, and the person knows why */
async function makePicture(parts: ImageParts, wish: ImageWish): Promise<ImageRecord | undefined> {
  const { prompt } = wish;
  const { task, description } = planWish(wish);
  const { records, failure } = await runWithProgress(parts, {
    title: vscode.l10n.t('Generating image: {0}', description),
    task,
  });
  if (failure !== undefined) {
    await parts.tellFailure(failure, {
      retry: () => insertImage(parts, prompt),
      chooseModel: async () => {
        await parts.chooseModel();
        await insertImage(parts, prompt);
      },
    });
  }
  return records[0];
}

/** A placeholder, or a picture that was blurred, is not what was asked for: the person decides. */
export async function isWanted(
  parts: ImageParts,
  record: ImageRecord,
  again?: () => Promise<void>,
): Promise<boolean> {
  const { blurred, contentViolation } = record.moderation;
  if (!blurred && !contentViolation) return true;
  const edit = vscode.l10n.t('Edit Prompt');
  const look = vscode.l10n.t('Show in Gallery');
  const use = vscode.l10n.t('Use Anyway');
  const answer = await showWarning(
    contentViolation ? violationText() : vscode.l10n.t('The picture was blurred by safe mode.'),
    ...(contentViolation ? [] : [use, look]),
    ...(again === undefined ? [] : [edit]),
  );
  if (answer === edit) await again?.();
  if (answer === look) parts.showImage(record);
  return answer === use;
}

/** @returns undefined when the person chose no place, or the file system refused; the picture is in the gallery all the same */
export async function savePicture(
  parts: ImageParts,
  record: ImageRecord,
  folder: AllowedFolder | 'ask',
  stem?: string,
): Promise<vscode.Uri | undefined> {
  const { saver } = parts;
  for (let isRefused = false; ; isRefused = true) {
    try {
      if (!isRefused && folder !== 'ask') return await saver.save(record, folder, stem);
      const chosen = await askForPlace(record, nameFor(record, defined({ stem })));
      if (chosen === undefined) return keptInGallery(parts);
      return await saver.saveAs(record, chosen);
    } catch (error) {
      parts.log.error('A picture could not be saved', error);
      const elsewhere = vscode.l10n.t('Save Elsewhere…');
      const answer = await showError(fileErrorText(error), elsewhere);
      if (answer !== elsewhere) return keptInGallery(parts);
    }
  }
}

function keptInGallery(parts: ImageParts): undefined {
  void showWithActions(
    showInformation,
    vscode.l10n.t('The picture was not saved as a file. It is in the gallery.'),
    [{ label: vscode.l10n.t('Open Gallery'), run: () => parts.openGallery() }],
  );
  return undefined;
}

interface Reference {
  readonly record: ImageRecord;
  readonly picture: vscode.Uri;
  readonly place: TrackedPosition | undefined;
}

async function refer(parts: ImageParts, { record, picture, place }: Reference): Promise<void> {
  if (place === undefined) {
    await vscode.commands.executeCommand('vscode.open', picture);
    return;
  }
  const inserted = place.document.isClosed
    ? undefined
    : await insertReference(place, record, picture);
  if (inserted !== undefined) return parts.deletionOffers.follow(inserted);
  const copy = vscode.l10n.t('Copy Reference');
  await showWithActions(
    showWarning,
    vscode.l10n.t(
      'The picture was saved as {0}, but the document cannot be changed any more.',
      vscode.workspace.asRelativePath(picture),
    ),
    [
      {
        label: copy,
        run: () => vscode.env.clipboard.writeText(referenceText(place.document, record, picture)),
      },
    ],
  );
}

/** One that the document's language can show. */
function formatFor(
  document: vscode.TextDocument | undefined,
  format: ImageFormat | undefined,
): { readonly format?: ImageFormat } {
  if (document === undefined) return {};
  const language = languageOf(document.languageId, posix.extname(document.uri.path));
  return defined({ format: formatIn(language, format) });
}

/** @returns what is selected; undefined when the person does not want it to be sent */
async function selectedPrompt(editor: vscode.TextEditor | undefined): Promise<string | undefined> {
  const text = editor?.document.getText(editor.selection).trim() ?? '';
  if (editor === undefined || text === '') return '';
  return (await maySendSelection(editor.document)) ? text : undefined;
}

async function recentPrompts({ gallery }: ImageParts): Promise<readonly string[]> {
  const prompts = (await gallery.list().catch(() => [])).flatMap(({ origin }) =>
    origin.kind === 'generate' ? [origin.request.prompt] : [],
  );
  return [...new Set(prompts)].slice(0, 20);
}

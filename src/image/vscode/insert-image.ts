import { posix } from 'node:path';
import * as vscode from 'vscode';
import { omitUndefined } from '../../base/json.ts';
import type { ImageRecord } from '../image-record.ts';
import { supportedFormat, referenceLanguage } from '../image-reference.ts';
import type { ImageFormat } from '../../service/images/image-types.ts';
import {
  showWithActions,
  showError,
  showInformation,
  showWarning,
} from '../../platform/notifications.ts';
import { activeOrVisibleEditor } from '../../platform/window.ts';
import { promptForImage, type GenerationInput, promptProblem } from './prompt-input.ts';
import { confirmSendSelection } from '../../workspace/vscode/send-consent.ts';
import {
  type AuthorizedFolder,
  promptForSaveTarget,
  imageFolderFor,
  authorizeFolder,
  openFolderSetting,
} from './image-location.ts';
import { type ImageServices, runWithProgress } from './image-services.ts';
import { insertReference, referenceText, TrackedPosition } from './insert-reference.ts';
import { fileErrorMessage, contentViolationMessage } from './image-failure.ts';
import { planGeneration } from './plan-image.ts';
import { fileNameFor } from './save-image.ts';

interface InsertTarget {
  readonly editor: vscode.TextEditor | undefined;
  /** Folder in which to save the image. `ask` opens a save dialog. */
  readonly folder: AuthorizedFolder | 'ask';
}

/**
 * Runs "Insert Image…": prompts for an image, generates and saves it, and inserts a reference at the cursor.
 * @param initialPrompt Prompt to start with. Default: the selected text.
 */
export async function insertImage(parts: ImageServices, initialPrompt?: string): Promise<void> {
  const editor = activeOrVisibleEditor();
  if (!(await parts.ensureModels())) return;
  const choice = imageFolderFor(editor?.document);
  if (choice.kind === 'problem') return showProblem(choice.text);
  const generation = await promptForImage({
    choice: parts.choice,
    prompt: initialPrompt ?? (await selectedPrompt(editor)) ?? '',
    recentPrompts: await recentPrompts(parts),
    openStudio: (prompt) => parts.openStudio(prompt),
  });
  if (generation === undefined) return;
  const folder = await resolveWritableFolder(editor?.document);
  if (folder !== 'none') await generateAndInsert(parts, { editor, folder }, generation);
}

/**
 * Generates an image from the selected text, with the options of the last image. Shows the input box only for an
 * invalid prompt.
 */
export async function generateFromSelection(parts: ImageServices): Promise<void> {
  const editor = activeOrVisibleEditor();
  if (!(await parts.ensureModels())) return;
  const { model, options } = parts.choice;
  const prompt = await selectedPrompt(editor);
  if (prompt === undefined) return;
  // The input box shows the problem of an invalid prompt, so that the user can correct the prompt.
  if (model === undefined || promptProblem(model, prompt) !== undefined) {
    await insertImage(parts, prompt);
    return;
  }
  const folder = await resolveWritableFolder(editor?.document);
  if (folder !== 'none')
    await generateAndInsert(parts, { editor, folder }, { model, prompt, options });
}

async function generateAndInsert(
  parts: ImageServices,
  { editor, folder }: InsertTarget,
  generation: GenerationInput,
): Promise<void> {
  const options = {
    ...generation.options,
    ...supportedFormatOption(editor?.document, generation.options.format),
    seed: parts.randomSeed(),
  };
  const trackedPosition =
    editor === undefined ? undefined : new TrackedPosition(editor.document, editor.selection.end);
  try {
    const record = await generateImage(parts, { ...generation, options });
    if (record === undefined) return;
    const editAgain = (): Promise<void> => insertImage(parts, generation.prompt);
    if (!(await confirmModerated(parts, record, editAgain))) return;
    const imageUri = await saveImage(parts, record, folder);
    if (imageUri !== undefined)
      await insertIntoDocument(parts, { record, imageUri, position: trackedPosition });
  } finally {
    trackedPosition?.dispose();
  }
}

/**
 * Returns the folder for the images of a document. `ask` opens a save dialog. `none` means that the user declined the
 * folder or that an error was shown.
 */
export async function resolveWritableFolder(
  document: vscode.TextDocument | undefined,
): Promise<AuthorizedFolder | 'ask' | 'none'> {
  const choice = imageFolderFor(document);
  switch (choice.kind) {
    case 'ask':
      return 'ask';
    case 'problem':
      await showProblem(choice.text);
      return 'none';
    case 'folder':
      return (await authorizeFolder(choice.folder)) ?? 'none';
  }
}

const showProblem = (text: string): Promise<void> =>
  showWithActions(showError, text, [openFolderSetting()]);

/**
 * Generates one image.
 * @returns the record of the image, or undefined after an error message
 */
async function generateImage(
  parts: ImageServices,
  generation: GenerationInput,
): Promise<ImageRecord | undefined> {
  const { prompt } = generation;
  const { task, description } = planGeneration(generation);
  const { records, failure } = await runWithProgress(parts, {
    title: vscode.l10n.t('Generating image: {0}', description),
    task,
  });
  if (failure !== undefined) {
    await parts.showFailure(failure, {
      retry: () => insertImage(parts, prompt),
      chooseModel: async () => {
        await parts.chooseModel();
        await insertImage(parts, prompt);
      },
    });
  }
  return records[0];
}

/**
 * Warns the user about a blurred image or a placeholder. Returns true if the image is unmoderated or the user chooses
 * to use it.
 */
export async function confirmModerated(
  parts: ImageServices,
  record: ImageRecord,
  editAgain?: () => Promise<void>,
): Promise<boolean> {
  const { blurred, contentViolation } = record.moderation;
  if (!blurred && !contentViolation) return true;
  const editPrompt = vscode.l10n.t('Edit Prompt');
  const showInGallery = vscode.l10n.t('Show in Gallery');
  const useAnyway = vscode.l10n.t('Use Anyway');
  const answer = await showWarning(
    contentViolation
      ? contentViolationMessage()
      : vscode.l10n.t('The picture was blurred by safe mode.'),
    ...(contentViolation ? [] : [useAnyway, showInGallery]),
    ...(editAgain === undefined ? [] : [editPrompt]),
  );
  if (answer === editPrompt) await editAgain?.();
  if (answer === showInGallery) parts.showImage(record);
  return answer === useAnyway;
}

/**
 * Saves an image as a file. Returns undefined if the user cancels or an error was shown. The image stays in the
 * gallery.
 */
export async function saveImage(
  parts: ImageServices,
  record: ImageRecord,
  folder: AuthorizedFolder | 'ask',
  stem?: string,
): Promise<vscode.Uri | undefined> {
  const { saver } = parts;
  for (let isRefused = false; ; isRefused = true) {
    try {
      if (!isRefused && folder !== 'ask') return await saver.save(record, folder, stem);
      const chosen = await promptForSaveTarget(
        record,
        fileNameFor(record, omitUndefined({ stem })),
      );
      if (chosen === undefined) return showOnlyInGallery(parts);
      return await saver.saveAs(record, chosen);
    } catch (error) {
      parts.log.error('Could not save an image', error);
      const saveElsewhere = vscode.l10n.t('Save Elsewhere…');
      const answer = await showError(fileErrorMessage(error), saveElsewhere);
      if (answer !== saveElsewhere) return showOnlyInGallery(parts);
    }
  }
}

function showOnlyInGallery(parts: ImageServices): undefined {
  void showWithActions(
    showInformation,
    vscode.l10n.t('The picture was not saved as a file. It is in the gallery.'),
    [{ label: vscode.l10n.t('Open Gallery'), run: () => parts.openGallery() }],
  );
  return undefined;
}

interface Reference {
  readonly record: ImageRecord;
  readonly imageUri: vscode.Uri;
  readonly position: TrackedPosition | undefined;
}

async function insertIntoDocument(
  parts: ImageServices,
  { record, imageUri, position }: Reference,
): Promise<void> {
  if (position === undefined) {
    await vscode.commands.executeCommand('vscode.open', imageUri);
    return;
  }
  const inserted = position.document.isClosed
    ? undefined
    : await insertReference(position, record, imageUri);
  if (inserted !== undefined) return parts.undoneReferences.track(inserted);
  const copyReference = vscode.l10n.t('Copy Reference');
  await showWithActions(
    showWarning,
    vscode.l10n.t(
      'The picture was saved as {0}, but the document cannot be changed any more.',
      vscode.workspace.asRelativePath(imageUri),
    ),
    [
      {
        label: copyReference,
        run: () =>
          vscode.env.clipboard.writeText(referenceText(position.document, record, imageUri)),
      },
    ],
  );
}

/** Returns the format option for an image that the document's language supports. */
function supportedFormatOption(
  document: vscode.TextDocument | undefined,
  format: ImageFormat | undefined,
): { readonly format?: ImageFormat } {
  if (document === undefined) return {};
  const language = referenceLanguage(document.languageId, posix.extname(document.uri.path));
  return omitUndefined({ format: supportedFormat(language, format) });
}

/** Returns the selected text. Empty without a selection; undefined if the user declines to send the text. */
async function selectedPrompt(editor: vscode.TextEditor | undefined): Promise<string | undefined> {
  const text = editor?.document.getText(editor.selection).trim() ?? '';
  if (editor === undefined || text === '') return '';
  return (await confirmSendSelection(editor.document)) ? text : undefined;
}

async function recentPrompts({ gallery }: ImageServices): Promise<readonly string[]> {
  const prompts = (await gallery.list().catch(() => [])).flatMap(({ origin }) =>
    origin.kind === 'generate' ? [origin.request.prompt] : [],
  );
  return [...new Set(prompts)].slice(0, 20);
}

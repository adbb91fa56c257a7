import * as vscode from 'vscode';
import type { ImageRecord } from '../image-record.ts';
import { showWarning } from '../../platform/notifications.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';
import { promptForImage, type GenerationInput, findPromptProblem } from './prompt-input.ts';
import { confirmSendSelection } from '../../workspace/vscode/send-consent.ts';
import {
  type AuthorizedFolder,
  chooseImageFolder,
  resolveWritableFolder,
  showFolderProblem,
} from './image-location.ts';
import { type ImageServices, runWithProgress } from './image-services.ts';
import {
  insertOrCopyReference,
  chooseSupportedFormatOption,
  TrackedPosition,
} from './insert-reference.ts';
import { getContentViolationMessage } from './image-failure.ts';
import { planGeneration } from './plan-image.ts';
import { saveImage } from './save-image.ts';

interface InsertTarget {
  readonly editor: vscode.TextEditor | undefined;
  /** Folder in which to save the image. `ask` means that the user selects the location in a save dialog. */
  readonly folder: AuthorizedFolder | 'ask';
}

/**
 * Runs "Insert Image": prompts for an image, generates and saves it, and inserts a reference at the cursor.
 * @param initialPrompt initial value of the prompt; default: the selected text
 */
export async function insertImage(services: ImageServices, initialPrompt?: string): Promise<void> {
  const editor = findActiveOrVisibleEditor();
  if (!(await services.ensureModels())) return;
  const choice = chooseImageFolder(editor?.document);
  if (choice.kind === 'problem') return showFolderProblem(choice.text);
  const generation = await promptForImage({
    choice: services.choice,
    prompt: initialPrompt ?? (await getSelectedPrompt(editor)) ?? '',
    recentPrompts: await listRecentPrompts(services),
    openStudio: (prompt) => services.openStudio(prompt),
  });
  if (generation === undefined) return;
  const folder = await resolveWritableFolder(editor?.document);
  if (folder !== 'none') await generateAndInsert(services, { editor, folder }, generation);
}

/**
 * Generates an image with the selected text as prompt and the most recently used options. Shows the input box only if
 * the prompt is invalid.
 */
export async function generateFromSelection(services: ImageServices): Promise<void> {
  const editor = findActiveOrVisibleEditor();
  if (!(await services.ensureModels())) return;
  const { model, options } = services.choice;
  const prompt = await getSelectedPrompt(editor);
  if (prompt === undefined) return;
  // The input box shows the problem of an invalid prompt, so that the user can correct the prompt.
  if (model === undefined || findPromptProblem(model, prompt) !== undefined) {
    await insertImage(services, prompt);
    return;
  }
  const folder = await resolveWritableFolder(editor?.document);
  if (folder !== 'none')
    await generateAndInsert(services, { editor, folder }, { model, prompt, options });
}

async function generateAndInsert(
  services: ImageServices,
  { editor, folder }: InsertTarget,
  generation: GenerationInput,
): Promise<void> {
  const options = {
    ...generation.options,
    ...chooseSupportedFormatOption(editor?.document, generation.options.format),
    seed: services.generateSeed(),
  };
  const trackedPosition =
    editor === undefined ? undefined : new TrackedPosition(editor.document, editor.selection.end);
  try {
    const record = await generateImage(services, { ...generation, options });
    if (record === undefined) return;
    const editAgain = (): Promise<void> => insertImage(services, generation.prompt);
    if (!(await confirmModeratedImage(services, record, editAgain))) return;
    const imageUri = await saveImage(services, record, folder);
    if (imageUri === undefined) return;
    if (trackedPosition === undefined)
      await vscode.commands.executeCommand('vscode.open', imageUri);
    else
      await insertOrCopyReference(trackedPosition, { record, imageUri }, services.undoneReferences);
  } finally {
    trackedPosition?.dispose();
  }
}

/**
 * Generates one image.
 * @returns the record of the image, or undefined after an error message
 */
async function generateImage(
  services: ImageServices,
  generation: GenerationInput,
): Promise<ImageRecord | undefined> {
  const { prompt } = generation;
  const { task, description } = planGeneration(generation);
  const { records, failure } = await runWithProgress(services, {
    title: vscode.l10n.t('{0}: {1}', vscode.l10n.t('Generating'), description),
    task,
  });
  if (failure !== undefined) {
    await services.showFailure(failure, {
      retry: () => insertImage(services, prompt),
      chooseModel: async () => {
        await services.chooseModel();
        await insertImage(services, prompt);
      },
    });
  }
  return records[0];
}

/**
 * Warns the user about a blurred image or a placeholder. Returns true if the user chooses to use the image, or if it
 * needs no warning.
 */
export async function confirmModeratedImage(
  services: ImageServices,
  record: ImageRecord,
  editAgain?: () => Promise<void>,
): Promise<boolean> {
  const { blurred, contentViolation } = record.moderation;
  if (!blurred && !contentViolation) return true;
  const editLabel = vscode.l10n.t('Edit');
  const galleryLabel = vscode.l10n.t('Open Image Gallery');
  const insertLabel = vscode.l10n.t('Insert');
  const answer = await showWarning(
    contentViolation ? getContentViolationMessage() : vscode.l10n.t('Blurred by safe mode'),
    ...(contentViolation ? [] : [insertLabel, galleryLabel]),
    ...(editAgain === undefined ? [] : [editLabel]),
  );
  if (answer === editLabel) await editAgain?.();
  if (answer === galleryLabel) services.showImage(record);
  return answer === insertLabel;
}

/**
 * Returns the selected text, or an empty string without a selection. Returns undefined if the user declines to send the
 * text.
 */
async function getSelectedPrompt(
  editor: vscode.TextEditor | undefined,
): Promise<string | undefined> {
  const text = editor?.document.getText(editor.selection).trim() ?? '';
  if (editor === undefined || text === '') return '';
  return (await confirmSendSelection(editor.document)) ? text : undefined;
}

async function listRecentPrompts({ gallery }: ImageServices): Promise<readonly string[]> {
  const prompts = (await gallery.list().catch(() => [])).flatMap(({ origin }) =>
    origin.kind === 'generate' ? [origin.request.prompt] : [],
  );
  return [...new Set(prompts)].slice(0, 20);
}

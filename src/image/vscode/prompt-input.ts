import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ImageModel } from '../image-model.ts';
import type { ImageOptions } from '../image-options.ts';
import { buildImageRequest, listUnsentOptions } from '../image-request.ts';
import { estimateImagePrice, findUpscalePrice } from '../image-price.ts';
import { formatPrice } from '../../service/pricing.ts';
import {
  resolveAspectRatio,
  resolveResolution,
  type ImageShape,
  listSizeChoices,
  resolveImageSize,
} from '../image-size.ts';
import type { ImageChoice } from './image-choice.ts';
import { formatUnsentOptions } from './refused-option.ts';
import { getModelTermLabel } from '../../models/vscode/model-labels.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import type { Model } from '../../service/model-types.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** Prompts the user to select the model for further images. */
export async function pickImageModel(choice: ImageChoice): Promise<void> {
  const currentModel = choice.model;
  const items = choice.models.map((model) => ({
    model,
    label: escapeIcons(model.name),
    description: describeModel(model, choice.options),
    ...(model.description === undefined ? {} : { detail: escapeIcons(model.description) }),
    ...(model.id === currentModel?.id ? { iconPath: new vscode.ThemeIcon('check') } : {}),
  }));
  const pickedItem = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Model'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (pickedItem !== undefined) await choice.storeChoice(pickedItem.model, choice.options);
}

/**
 * Prompts the user to select the size for further images. Depending on the model, this is a size in pixels, or an
 * aspect ratio and a resolution.
 */
export async function pickImageSize(choice: ImageChoice): Promise<void> {
  const { model, options } = choice;
  if (model === undefined) return;
  const pickedItem = await vscode.window.showQuickPick(createSizeItems(model, options), {
    title: vscode.l10n.t('Size'),
    matchOnDescription: true,
  });
  if (pickedItem === undefined) return;
  // A request contains either a size in pixels or a ratio, so a new choice for a model of unknown sizing replaces all
  // earlier choices.
  const noSize = {
    width: undefined,
    height: undefined,
    aspectRatio: undefined,
    resolution: undefined,
  };
  const clearedOptions = model.sizing.kind === 'unknown' ? noSize : {};
  await choice.storeChoice(
    model,
    omitUndefined({ ...options, ...clearedOptions, ...pickedItem.options }),
  );
}

/** Prompts the user to select the upscale factor. Returns undefined if the user cancels. */
export async function pickUpscaleFactor(models: readonly Model[]): Promise<2 | 4 | undefined> {
  const items = ([2, 4] as const).map((scale) => ({
    scale,
    label: `${scale}×`,
    description: formatPrice(findUpscalePrice(models, scale)),
  }));
  const title = vscode.l10n.t('Upscale');
  return (await vscode.window.showQuickPick(items, { title }))?.scale;
}

interface SizeItem extends vscode.QuickPickItem {
  readonly options: ImageOptions;
}

function createSizeItems(model: ImageModel, options: ImageOptions): SizeItem[] {
  const { sizing } = model;
  switch (sizing.kind) {
    case 'pixels':
      return listSizeChoices(model).map(({ shape, width, height }) => ({
        label: `${width} × ${height}`,
        description: `${getShapeNames()[shape]} · ${formatRatio(width, height)}`,
        options: { width, height },
      }));
    case 'unknown':
      return [
        { label: vscode.l10n.t('Default'), options: {} },
        ...sizing.ratios.map((aspectRatio) => ({ label: aspectRatio, options: { aspectRatio } })),
        ...sizing.resolutions.map((resolution) => ({ label: resolution, options: { resolution } })),
        ...listSizeChoices(model).map(({ width, height }) => ({
          label: `${width} × ${height}`,
          options: { width, height },
        })),
      ];
    case 'ratio':
      return sizing.ratios.map((aspectRatio) => ({ label: aspectRatio, options: { aspectRatio } }));
    case 'tier':
      return sizing.resolutions.flatMap((resolution) =>
        sizing.ratios.map((aspectRatio) => ({
          label: `${resolution} · ${aspectRatio}`,
          description: formatTotalPrice(model, { ...options, resolution, aspectRatio }),
          options: { resolution, aspectRatio },
        })),
      );
  }
}

const describeModel = (model: ImageModel, options: ImageOptions): string =>
  [
    formatTotalPrice(model, options),
    escapeIcons(getModelTermLabel(model.privacy ?? '')),
    model.offline ? vscode.l10n.t('offline') : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');

const formatTotalPrice = (model: ImageModel, options: ImageOptions): string =>
  formatPrice(estimateImagePrice(model, { ...options, variants: 1 }));

const getShapeNames = (): Readonly<Record<ImageShape, string>> => ({
  square: vscode.l10n.t('Square'),
  landscape: vscode.l10n.t('Landscape'),
  portrait: vscode.l10n.t('Portrait'),
  wide: vscode.l10n.t('Landscape'),
  tall: vscode.l10n.t('Portrait'),
  banner: vscode.l10n.t('Landscape'),
  'small-square': vscode.l10n.t('Small square'),
});

/** Formats the aspect ratio of an image with the smallest possible whole numbers, such as `3:2`. */
function formatRatio(width: number, height: number): string {
  let [divisor, remainder] = [width, height];
  while (remainder !== 0) [divisor, remainder] = [remainder, divisor % remainder];
  return `${width / divisor}:${height / divisor}`;
}

/** Prompt, model and options of an image to generate. */
export interface GenerationInput {
  readonly model: ImageModel;
  readonly prompt: string;
  readonly options: ImageOptions;
}

interface PromptRequest {
  readonly choice: ImageChoice;
  readonly prompt: string;
  /** Prompts of earlier images, newest first. */
  readonly recentPrompts: readonly string[];
  readonly openStudio: (prompt: string) => unknown;
}

/**
 * Shows an input box for the prompt, with buttons for the model, the size and the studio.
 * @returns undefined if the user dismisses the input box or opens the studio
 */
export async function promptForImage(request: PromptRequest): Promise<GenerationInput | undefined> {
  let { prompt } = request;
  for (;;) {
    const { model, options } = request.choice;
    if (model === undefined) return undefined;
    const step = await showPrompt({ ...request, prompt, model, options });
    if (step === undefined) return undefined;
    ({ prompt } = step);
    switch (step.nextStep) {
      case 'generate':
        return { model, prompt, options };
      case 'model':
        await pickImageModel(request.choice);
        break;
      case 'size':
        await pickImageSize(request.choice);
        break;
      case 'studio':
        request.openStudio(prompt);
        return undefined;
    }
  }
}

interface PromptStep {
  readonly nextStep: 'generate' | 'model' | 'size' | 'studio';
  readonly prompt: string;
}

interface PromptItem extends vscode.QuickPickItem {
  /**
   * Prompt of an earlier image, which replaces the text in the input box when the user selects the item. Absent for the
   * item "Generate".
   */
  readonly prompt?: string;
}

function showPrompt(request: PromptRequest & GenerationInput): Promise<PromptStep | undefined> {
  const disposables = new DisposableStore();
  const pick = disposables.add(vscode.window.createQuickPick<PromptItem>());
  const buttons = createPromptButtons(request.model);
  pick.title = stripEllipsis(vscode.l10n.t('Insert Image…'));
  pick.placeholder = vscode.l10n.t('Describe the image');
  pick.value = request.prompt;
  pick.ignoreFocusOut = true;
  pick.buttons = buttons;
  const updateItems = (): void => {
    pick.items = createPromptItems(request, pick.value);
  };
  updateItems();
  return new Promise((resolve) => {
    const finishPrompt = (nextStep?: PromptStep['nextStep']): void => {
      resolve(nextStep === undefined ? undefined : { nextStep, prompt: pick.value.trim() });
      disposables.dispose();
    };
    disposables.add(pick.onDidChangeValue(updateItems));
    disposables.add(pick.onDidHide(() => finishPrompt()));
    disposables.add(
      pick.onDidTriggerButton((button) =>
        finishPrompt(buttons.find((b) => b === button)?.nextStep),
      ),
    );
    disposables.add(
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item?.prompt !== undefined) pick.value = item.prompt;
        updateItems();
        if (item?.prompt === undefined && isValidPrompt(request.model, pick.value))
          finishPrompt('generate');
      }),
    );
    pick.show();
  });
}

/** Creates the items below the input box: the item "Generate", then the prompts of earlier images. */
function createPromptItems(
  request: PromptRequest & GenerationInput,
  typedPrompt: string,
): PromptItem[] {
  const recentItems = request.recentPrompts
    .filter((prompt) => prompt !== typedPrompt)
    .map((prompt): PromptItem => ({
      label: toOneLine(prompt),
      iconPath: createIcon('history'),
      prompt,
    }));
  const separator: PromptItem = {
    label: vscode.l10n.t('Recent'),
    kind: vscode.QuickPickItemKind.Separator,
  };
  return [
    createGenerateItem(request, typedPrompt.trim()),
    ...(recentItems.length > 0 ? [separator, ...recentItems] : []),
  ];
}

function createGenerateItem({ model, options }: GenerationInput, prompt: string): PromptItem {
  const problem = findPromptProblem(model, prompt);
  return {
    label: problem ?? vscode.l10n.t('Generate'),
    iconPath: createIcon(problem === undefined ? 'sparkle' : 'info'),
    description: summarizeGeneration(model, options),
    alwaysShow: true,
  };
}

/** Returns a summary of one image, such as `Painter Turbo · 1024 × 1024 · $0.01`. */
export function summarizeGeneration(model: ImageModel, options: ImageOptions): string {
  const price = formatPrice(estimateImagePrice(model, { ...options, variants: 1 }));
  // Omits the seed, because these images get a random seed.
  const { seed: _, ...chosenOptions } = options;
  const unsentText = formatUnsentOptions(listUnsentOptions(model, chosenOptions));
  const parts = [escapeIcons(model.name), ...listSizeTexts(model, options), price, unsentText];
  return parts.filter((part) => part !== '').join(' · ');
}

function listSizeTexts(model: ImageModel, options: ImageOptions): string[] {
  const { sizing } = model;
  if (sizing.kind === 'unknown') {
    const {
      width,
      height,
      aspectRatio = '',
      resolution = '',
    } = buildImageRequest(model, '', options);
    return [width === undefined ? '' : `${width} × ${height ?? width}`, aspectRatio, resolution];
  }
  if (sizing.kind === 'pixels') {
    const { width, height } = resolveImageSize(model, options);
    return [`${width} × ${height}`];
  }
  return [resolveAspectRatio(sizing, options) ?? '', resolveResolution(sizing, options) ?? ''];
}

const isValidPrompt = (model: ImageModel, prompt: string): boolean =>
  findPromptProblem(model, prompt.trim()) === undefined;

/** Returns a message for the user about an invalid prompt. Undefined for a valid prompt. */
export function findPromptProblem(model: ImageModel, prompt: string): string | undefined {
  if (prompt === '') return vscode.l10n.t('Describe the image');
  if (prompt.length <= model.maxPromptChars) return undefined;
  return vscode.l10n.t('{0} of {1} characters', prompt.length, model.maxPromptChars);
}

interface PromptButton extends vscode.QuickInputButton {
  readonly nextStep: PromptStep['nextStep'];
}

const createPromptButtons = (model: ImageModel): readonly PromptButton[] => [
  {
    nextStep: 'model',
    iconPath: createIcon('chip'),
    tooltip: vscode.l10n.t('{0}: {1}', vscode.l10n.t('Model'), model.name),
  },
  { nextStep: 'size', iconPath: createIcon('screen-full'), tooltip: vscode.l10n.t('Size') },
  {
    nextStep: 'studio',
    iconPath: createIcon('settings'),
    tooltip: vscode.l10n.t('Open Image Studio'),
  },
];

const createIcon = (name: string): vscode.ThemeIcon => new vscode.ThemeIcon(name);

const toOneLine = (text: string): string =>
  escapeIcons(text.replaceAll(/\s+/gu, ' ').trim().slice(0, 200));

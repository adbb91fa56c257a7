import * as vscode from 'vscode';
import type { ImageModel } from '../image-model.ts';
import type { ImageOptions } from '../image-options.ts';
import { formatPrice, imagePrice, upscalePrice } from '../image-price.ts';
import { type ImageShape, sizeChoices } from '../image-size.ts';
import type { Model } from '../../service/model-types.ts';
import { modelWord } from '../../models/vscode/model-labels.ts';
import { withoutIcons } from '../../platform/notifications.ts';
import type { ImageChoice } from './image-choice.ts';

/** Lets the person choose the model of the next pictures. */
export async function pickImageModel(choice: ImageChoice): Promise<void> {
  const current = choice.model;
  const items = choice.models.map((model) => ({
    model,
    label: withoutIcons(model.name),
    description: modelDescription(model, choice.options),
    ...(model.description === undefined ? {} : { detail: withoutIcons(model.description) }),
    ...(model.id === current?.id ? { iconPath: new vscode.ThemeIcon('check') } : {}),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Model for images'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined) await choice.set(picked.model, choice.options);
}

/** Lets the person choose the size of the next pictures, as the model is sized. */
export async function pickImageSize(choice: ImageChoice): Promise<void> {
  const { model, options } = choice;
  if (model === undefined) return;
  const picked = await vscode.window.showQuickPick(sizeItems(model, options), {
    title: vscode.l10n.t('Size of the image'),
    matchOnDescription: true,
  });
  if (picked !== undefined) await choice.set(model, { ...options, ...picked.options });
}

/** How much larger a picture is to become. */
export async function pickScale(models: readonly Model[]): Promise<2 | 4 | undefined> {
  const items = ([2, 4] as const).map((scale) => ({
    scale,
    label: `${scale}×`,
    description: formatPrice(upscalePrice(models, scale)),
  }));
  const title = vscode.l10n.t('Upscale Image');
  return (await vscode.window.showQuickPick(items, { title }))?.scale;
}

interface SizeItem extends vscode.QuickPickItem {
  readonly options: ImageOptions;
}

function sizeItems(model: ImageModel, options: ImageOptions): SizeItem[] {
  const { sizing } = model;
  switch (sizing.kind) {
    case 'pixels':
      return sizeChoices(model).map(({ shape, width, height }) => ({
        label: `${width} × ${height}`,
        description: shapeNames()[shape],
        options: { width, height },
      }));
    case 'ratio':
      return sizing.ratios.map((aspectRatio) => ({ label: aspectRatio, options: { aspectRatio } }));
    case 'tier':
      return sizing.resolutions.flatMap((resolution) =>
        sizing.ratios.map((aspectRatio) => ({
          label: `${resolution} · ${aspectRatio}`,
          description: priceText(model, { ...options, resolution, aspectRatio }),
          options: { resolution, aspectRatio },
        })),
      );
  }
}

const modelDescription = (model: ImageModel, options: ImageOptions): string =>
  [
    priceText(model, options),
    withoutIcons(modelWord(model.privacy ?? '')),
    model.offline ? vscode.l10n.t('offline') : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');

const priceText = (model: ImageModel, options: ImageOptions): string =>
  formatPrice(imagePrice(model, { ...options, variants: 1 }));

const shapeNames = (): Readonly<Record<ImageShape, string>> => ({
  square: vscode.l10n.t('Square'),
  landscape: vscode.l10n.t('Landscape'),
  portrait: vscode.l10n.t('Portrait'),
  wide: vscode.l10n.t('Wide'),
  tall: vscode.l10n.t('Tall'),
  banner: vscode.l10n.t('Banner'),
  'small-square': vscode.l10n.t('Small square'),
});

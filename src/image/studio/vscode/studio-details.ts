import * as vscode from 'vscode';
import { formatBytes, formatDecimal } from '../../../base/amounts.ts';
import { formatPrice } from '../../image-price.ts';
import type { ImageOrigin, ImageRecord, ImageSourceName } from '../../image-record.ts';
import type { ImageAction, ImageDetails } from '../protocol/state.ts';

type Row = ImageDetails['rows'][number];
type OfferedAction = ImageDetails['actions'][number];

/** What only the host knows of the picture now. */
export interface DetailFacts {
  /** Of making it again with all the pictures that this takes; empty when unknown. */
  readonly againText: (seed: 'same' | 'other') => string;
  /** Of making this picture larger; empty when unknown. */
  readonly upscaleText: (scale: 2 | 4) => string;
  /** Why it cannot be inserted; empty when it can. */
  readonly cannotInsert: string;
  /** Whether a file that was saved from it is there. */
  readonly isSaved: boolean;
  readonly source: ImageDetails['source'];
}

/** What is shown of the one large picture. */
export function imageDetails(record: ImageRecord, facts: DetailFacts): ImageDetails {
  return {
    id: record.id,
    rows: rowsOf(record),
    json: JSON.stringify(record.origin, undefined, 2),
    source: facts.source,
    actions: actionsOf(record, facts),
  };
}

function actionsOf({ origin, moderation }: ImageRecord, facts: DetailFacts): OfferedAction[] {
  const make = (action: ImageAction, priceText = '', disabled = ''): OfferedAction => ({
    action,
    priceText,
    disabled,
  });
  const again = (): OfferedAction[] => [
    make('use-settings'),
    make('same-seed', facts.againText('same')),
    make('vary', facts.againText('other')),
  ];
  const made = [make('open'), ...(origin.kind === 'generate' ? again() : [])];
  // A placeholder is nothing to go on with.
  if (moderation.contentViolation) return [...made, make('delete')];
  return [
    make('save'),
    make('insert', '', facts.cannotInsert),
    ...made,
    ...(facts.isSaved ? [make('reveal')] : []),
    make('upscale-2', facts.upscaleText(2)),
    make('upscale-4', facts.upscaleText(4)),
    make('edit'),
    make('remove-background'),
    make('use-as-input'),
    make('delete'),
  ];
}

function rowsOf(record: ImageRecord): Row[] {
  const { width, height, format, bytes, modelName, price, durationMs, createdAt } = record;
  const rows: (readonly [string, string | number | boolean | undefined])[] = [
    [vscode.l10n.t('Model'), modelName],
    ...originRows(record.origin),
    [
      vscode.l10n.t('Picture'),
      `${width} × ${height} · ${format.toUpperCase()} · ${formatBytes(bytes)}`,
    ],
    [vscode.l10n.t('Price'), formatPrice(price)],
    [vscode.l10n.t('Time'), durationMs === undefined ? undefined : secondsText(durationMs)],
    [vscode.l10n.t('Made'), new Date(createdAt).toLocaleString(vscode.env.language)],
  ];
  return rows.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value: String(value) }],
  );
}

function originRows(
  origin: ImageOrigin,
): (readonly [string, string | number | boolean | undefined])[] {
  switch (origin.kind) {
    case 'generate': {
      const { model: _, ...request } = origin.request;
      const label = (name: string): string =>
        name === 'seed' && origin.variant > 0
          ? vscode.l10n.t('Seed of the first picture')
          : requestLabel(name);
      const rows = Object.entries(request).map(
        ([name, value]) => [label(name), plain(value)] as const,
      );
      if (origin.variants === 1) return rows;
      const which = vscode.l10n.t('{0} of {1}', origin.variant + 1, origin.variants);
      return [...rows, [vscode.l10n.t('Variant'), which]];
    }
    case 'upscale':
      return [[vscode.l10n.t('Upscale'), `${origin.scale}×`], sourceRow(origin.sources)];
    case 'remove-background':
      return [sourceRow(origin.sources)];
    default:
      return [
        [vscode.l10n.t('Prompt'), origin.prompt],
        [vscode.l10n.t('Aspect ratio'), origin.aspectRatio],
        [vscode.l10n.t('Resolution'), origin.resolution],
        sourceRow(origin.sources),
      ];
  }
}

const sourceRow = (sources: readonly ImageSourceName[]): readonly [string, string] => [
  vscode.l10n.t('Made from'),
  sources.map(sourceLabel).join(', '),
];

export const sourceLabel = (source: ImageSourceName): string =>
  source.type === 'gallery'
    ? vscode.l10n.t('a picture of the gallery')
    : vscode.workspace.asRelativePath(vscode.Uri.parse(source.uri));

/** What the service calls a part of a request, for people. */
const requestLabel = (name: string): string => requestLabels()[name] ?? name;

const requestLabels = (): Readonly<Record<string, string>> => ({
  prompt: vscode.l10n.t('Prompt'),
  negativePrompt: vscode.l10n.t('Negative prompt'),
  width: vscode.l10n.t('Width'),
  height: vscode.l10n.t('Height'),
  aspectRatio: vscode.l10n.t('Aspect ratio'),
  resolution: vscode.l10n.t('Resolution'),
  quality: vscode.l10n.t('Quality'),
  format: vscode.l10n.t('Format'),
  safeMode: vscode.l10n.t('Safe mode'),
  seed: vscode.l10n.t('Seed'),
  cfgScale: vscode.l10n.t('Prompt guidance'),
  steps: vscode.l10n.t('Steps'),
  stylePreset: vscode.l10n.t('Style'),
  hideWatermark: vscode.l10n.t('Without watermark'),
  embedExifMetadata: vscode.l10n.t('Request in the file (EXIF)'),
  enableWebSearch: vscode.l10n.t('Web search'),
  enhancePrompt: vscode.l10n.t('Improved prompt'),
});

const plain = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

const secondsText = (ms: number): string => vscode.l10n.t('{0} s', formatDecimal(ms / 1_000, 1));

import * as l10n from '@vscode/l10n';
import { formatCount } from '../../src/base/amounts.ts';

/**
 * Labels and messages of the studio page. Texts that depend on the service's rules come from the
 * host.
 */
export const labels = {
  studio: l10n.t('Image studio'),
  sections: l10n.t('Sections'),
  create: l10n.t('Create'),
  gallery: l10n.t('Gallery'),
  options: l10n.t('Options'),
  more: l10n.t('More'),
  back: l10n.t('Back'),
  cancel: l10n.t('Cancel'),
  retry: l10n.t('Try again'),
  retryIn: (time: string): string => l10n.t('Try again in {0}', time),
  problem: l10n.t('Problem'),
  account: l10n.t('Account'),
  of: (count: number, all: number): string =>
    l10n.t('{0} of {1}', formatCount(count), formatCount(all)),

  prompt: l10n.t('Prompt'),
  promptPlaceholder: l10n.t('Describe a picture'),
  instruction: l10n.t('Instruction'),
  instructionPlaceholder: l10n.t('Say what to change'),
  negativePrompt: l10n.t('Negative prompt'),
  negativePlaceholder: l10n.t('What to avoid'),
  characters: (count: number, limit: number): string =>
    l10n.t('{0} of {1} characters', formatCount(count), formatCount(limit)),
  promptMissing: l10n.t('Write a prompt first.'),
  instructionMissing: l10n.t('Say first what to change.'),
  tooLong: (count: number, limit: number): string =>
    l10n.t(
      'The text is too long for this model: {0} of at most {1} characters.',
      formatCount(count),
      formatCount(limit),
    ),

  model: l10n.t('Model'),
  models: l10n.t('Models'),
  modelFilter: l10n.t('Filter models'),
  chooseModel: l10n.t('Choose a model'),
  modelMissing: l10n.t('Choose a model first.'),
  modelOffline: l10n.t('This model is offline. Choose another one.'),
  modelsLoading: l10n.t('Loading models'),
  modelsNone: l10n.t('The service offers no image models'),
  modelsRefresh: l10n.t('Refresh the list of models'),
  savedList: (why: string): string => l10n.t('Saved list. {0}', why),
  offline: l10n.t('offline'),
  noMatch: l10n.t('Nothing matches'),

  size: l10n.t('Size'),
  width: l10n.t('Width'),
  height: l10n.t('Height'),
  custom: l10n.t('Custom'),
  customHint: (min: number, max: number, divisor: number): string =>
    divisor > 1
      ? l10n.t(
          '{0} to {1} pixels, in steps of {2}',
          formatCount(min),
          formatCount(max),
          formatCount(divisor),
        )
      : l10n.t('{0} to {1} pixels', formatCount(min), formatCount(max)),
  ratio: l10n.t('Aspect ratio'),
  resolution: l10n.t('Resolution'),
  quality: l10n.t('Quality'),
  steps: l10n.t('Steps'),
  stepsOf: (steps: number, max: number): string => l10n.t('{0} of at most {1} steps', steps, max),
  guidance: l10n.t('Prompt guidance'),
  guidanceHint: l10n.t('Higher follows the prompt more closely. Empty is the model’s own.'),
  style: l10n.t('Style'),
  styles: l10n.t('Styles'),
  styleNone: l10n.t('None'),
  styleFilter: l10n.t('Filter styles'),
  stylesLoading: l10n.t('Loading styles'),
  stylesEmpty: l10n.t('The service offers no styles'),
  stylesFailed: l10n.t('The styles could not be loaded.'),
  seed: l10n.t('Seed'),
  seedRandom: l10n.t('Random'),
  seedRoll: l10n.t('Pick a seed'),
  seedClear: l10n.t('Clear the seed'),
  seedProblem: l10n.t('A seed is a whole number from -999,999,999 to 999,999,999.'),
  format: l10n.t('Format'),
  formatDefault: l10n.t('Default'),
  safeMode: l10n.t('Safe mode'),
  safeModeHint: l10n.t('Blurs adult content'),
  webSearch: l10n.t('Search the web'),
  enhancePrompt: l10n.t('Improve the prompt'),
  hideWatermark: l10n.t('Hide the watermark'),
  embedExif: l10n.t('Write the request into the file (EXIF)'),
  extra: (label: string, price: string): string =>
    price === '' ? label : l10n.t('{0} (+{1})', label, price),
  variants: l10n.t('Pictures'),
  modelDefault: l10n.t('Model’s own'),

  generate: l10n.t('Generate'),
  edit: l10n.t('Edit'),
  combine: (count: number): string => l10n.t('Combine {0}', count),
  priced: (label: string, price: string): string =>
    price === '' ? label : l10n.t('{0} · {1}', label, price),
  editPicture: l10n.t('Edit a picture…'),
  inputs: l10n.t('Pictures to change'),
  inputAdd: l10n.t('Add a picture…'),
  inputRemove: (label: string): string => l10n.t('Remove {0}', label),
  inputEarlier: (label: string): string => l10n.t('Move {0} forward', label),
  inputsTooMany: (max: number): string =>
    max === 1
      ? l10n.t('This model takes one picture. Remove the others or choose another model.')
      : l10n.t('This model takes up to {0} pictures. Remove some or choose another model.', max),
  leaveEdit: l10n.t('New picture instead'),

  results: l10n.t('Results'),
  resultsEmpty: l10n.t('Pictures you make appear here.'),
  queued: l10n.t('Waiting for its turn'),
  running: l10n.t('Working'),
  waiting: (next: number, of: number, seconds: number): string =>
    seconds > 0
      ? l10n.t('Retry {0} of {1} in {2} s', next, of, seconds)
      : l10n.t('Retry {0} of {1}', next, of),
  cancelled: l10n.t('Cancelled'),
  notMade: l10n.t('Not made'),
  dismiss: l10n.t('Remove from the results'),
  picture: (at: number, all: number): string => l10n.t('Picture {0} of {1}', at, all),
  startedSaying: (count: number): string =>
    count === 1 ? l10n.t('Making a picture') : l10n.t('Making {0} pictures', count),
  doneSaying: (count: number): string =>
    count === 1 ? l10n.t('The picture is ready') : l10n.t('{0} pictures are ready', count),
  failedSaying: (why: string): string => l10n.t('Failed. {0}', why),

  blurred: l10n.t('Blurred'),
  violation: l10n.t('Content violation'),
  missing: l10n.t('File moved or deleted'),
  missingHint: l10n.t(
    'The saved file was moved or deleted. The gallery keeps its own copy: save it again.',
  ),
  savedAs: (label: string): string => l10n.t('Saved as {0}', label),
  broken: l10n.t('The picture cannot be shown'),

  searchPrompts: l10n.t('Search prompts'),
  allModels: l10n.t('All models'),
  filterModel: l10n.t('Model filter'),
  galleryLoading: l10n.t('Loading the gallery'),
  galleryEmpty: l10n.t('No pictures yet. Everything you make is kept here.'),
  galleryNone: l10n.t('No picture matches.'),
  clearFilters: l10n.t('Clear filters'),
  pictures: (count: number): string =>
    count === 1 ? l10n.t('1 picture') : l10n.t('{0} pictures', formatCount(count)),
  space: (used: string, cap: string): string => l10n.t('{0} of {1}', used, cap),
  selected: (count: number): string => l10n.t('{0} selected', formatCount(count)),
  deleteSelected: l10n.t('Delete selected…'),
  clearSelection: l10n.t('Clear selection'),
  deleteAll: l10n.t('Delete all…'),

  actions: l10n.t('Actions'),
  save: l10n.t('Save'),
  insert: l10n.t('Insert into editor'),
  copy: l10n.t('Copy'),
  open: l10n.t('Open'),
  reveal: l10n.t('Reveal in explorer'),
  sameSeed: l10n.t('Same seed again'),
  vary: l10n.t('Vary'),
  upscale2: l10n.t('Upscale 2×'),
  upscale4: l10n.t('Upscale 4×'),
  editThis: l10n.t('Edit…'),
  removeBackground: l10n.t('Remove background'),
  useAsInput: l10n.t('Use as input'),
  useSettings: l10n.t('Use these settings'),
  delete: l10n.t('Delete…'),
  previous: l10n.t('Previous picture'),
  next: l10n.t('Next picture'),
  copied: l10n.t('Picture copied'),
  copyRefused: l10n.t('The picture could not be copied here. Save or open it instead.'),
  details: l10n.t('Details'),
  copyJson: l10n.t('Copy as JSON'),
  jsonCopied: l10n.t('Request copied'),
  jsonRefused: l10n.t('The request could not be copied here. Select its text instead.'),
  zoom: l10n.t('Zoom'),
  zoomedPicture: l10n.t(
    'Picture in full size. Arrow keys scroll it, Enter and Escape show all of it.',
  ),
  compare: l10n.t('Compare'),
  compareLabel: l10n.t('Share of the earlier picture'),
  compareValue: (percent: number, label: string): string => l10n.t('{0} % {1}', percent, label),
  before: l10n.t('Before'),
  after: l10n.t('After'),
} as const;

/**
 * Everything the image studio says by itself, in one place and of one shape, so that another language can take its
 * place as a whole. What depends on the service's rules comes from the host as sentences.
 */
export const words = {
  studio: 'Image studio',
  sections: 'Sections',
  create: 'Create',
  gallery: 'Gallery',
  options: 'Options',
  more: 'More',
  back: 'Back',
  cancel: 'Cancel',
  retry: 'Try again',
  retryIn: (time: string): string => `Try again in ${time}`,
  problem: 'Problem',
  account: 'Account',
  of: (count: number, all: number): string => `${number(count)} of ${number(all)}`,

  prompt: 'Prompt',
  promptPlaceholder: 'Describe a picture',
  instruction: 'Instruction',
  instructionPlaceholder: 'Say what to change',
  negativePrompt: 'Negative prompt',
  negativePlaceholder: 'What to avoid',
  characters: (count: number, limit: number): string =>
    `${number(count)} of ${number(limit)} characters`,
  promptMissing: 'Write a prompt first.',
  instructionMissing: 'Say first what to change.',
  tooLong: (count: number, limit: number): string =>
    `The text is too long for this model: ${number(count)} of at most ${number(limit)} characters.`,

  model: 'Model',
  models: 'Models',
  modelFilter: 'Filter models',
  chooseModel: 'Choose a model',
  modelMissing: 'Choose a model first.',
  modelOffline: 'This model is offline. Choose another one.',
  modelsLoading: 'Loading models',
  modelsNone: 'The service offers no image models',
  modelsRefresh: 'Refresh the list of models',
  savedList: (why: string): string => `Saved list. ${why}`,
  offline: 'offline',
  trait: (name: string): string => traits.get(name) ?? name.replaceAll(/[_-]+/gu, ' ').trim(),
  noMatch: 'Nothing matches',

  size: 'Size',
  width: 'Width',
  height: 'Height',
  custom: 'Custom',
  customHint: (min: number, max: number, divisor: number): string =>
    divisor > 1
      ? `${number(min)} to ${number(max)} pixels, in steps of ${number(divisor)}`
      : `${number(min)} to ${number(max)} pixels`,
  ratio: 'Aspect ratio',
  resolution: 'Resolution',
  quality: 'Quality',
  steps: 'Steps',
  stepsOf: (steps: number, max: number): string => `${steps} of at most ${max} steps`,
  guidance: 'Prompt guidance',
  guidanceHint: 'Higher follows the prompt more closely. Empty is the model’s own.',
  style: 'Style',
  styles: 'Styles',
  styleNone: 'None',
  styleFilter: 'Filter styles',
  stylesLoading: 'Loading styles',
  stylesEmpty: 'The service offers no styles',
  stylesFailed: 'The styles could not be loaded.',
  seed: 'Seed',
  seedRandom: 'Random',
  seedRoll: 'Pick a seed',
  seedClear: 'Clear the seed',
  seedProblem: 'A seed is a whole number from -999,999,999 to 999,999,999.',
  format: 'Format',
  formatDefault: 'Default',
  safeMode: 'Safe mode',
  safeModeHint: 'Blurs adult content',
  webSearch: 'Search the web',
  enhancePrompt: 'Improve the prompt',
  hideWatermark: 'Hide the watermark',
  embedExif: 'Write the request into the file (EXIF)',
  extra: (label: string, price: string): string => (price === '' ? label : `${label} (+${price})`),
  variants: 'Pictures',
  modelDefault: 'Model’s own',

  generate: 'Generate',
  edit: 'Edit',
  combine: (count: number): string => `Combine ${count}`,
  priced: (label: string, price: string): string => (price === '' ? label : `${label} · ${price}`),
  editPicture: 'Edit a picture…',
  inputs: 'Pictures to change',
  inputAdd: 'Add a picture…',
  inputRemove: (label: string): string => `Remove ${label}`,
  inputEarlier: (label: string): string => `Move ${label} forward`,
  inputsTooMany: (max: number): string =>
    max === 1
      ? 'This model takes one picture. Remove the others or choose another model.'
      : `This model takes up to ${max} pictures. Remove some or choose another model.`,
  leaveEdit: 'New picture instead',

  results: 'Results',
  resultsEmpty: 'Pictures you make appear here.',
  queued: 'Waiting for its turn',
  running: 'Working',
  waiting: (next: number, of: number, seconds: number): string =>
    seconds > 0 ? `Retry ${next} of ${of} in ${seconds} s` : `Retry ${next} of ${of}`,
  cancelled: 'Cancelled',
  notMade: 'Not made',
  dismiss: 'Remove from the results',
  picture: (at: number, all: number): string => `Picture ${at} of ${all}`,
  startedSaying: (count: number): string =>
    count === 1 ? 'Making a picture' : `Making ${count} pictures`,
  doneSaying: (count: number): string =>
    count === 1 ? 'The picture is ready' : `${count} pictures are ready`,
  failedSaying: (why: string): string => `Failed. ${why}`,

  blurred: 'Blurred',
  violation: 'Content violation',
  missing: 'File moved or deleted',
  missingHint:
    'The saved file was moved or deleted. The gallery keeps its own copy: save it again.',
  savedAs: (label: string): string => `Saved as ${label}`,
  broken: 'The picture cannot be shown',

  searchPrompts: 'Search prompts',
  allModels: 'All models',
  filterModel: 'Model filter',
  galleryLoading: 'Loading the gallery',
  galleryEmpty: 'No pictures yet. Everything you make is kept here.',
  galleryNone: 'No picture matches.',
  clearFilters: 'Clear filters',
  pictures: (count: number): string => (count === 1 ? '1 picture' : `${number(count)} pictures`),
  space: (used: string, cap: string): string => `${used} of ${cap}`,
  selected: (count: number): string => `${number(count)} selected`,
  deleteSelected: 'Delete selected…',
  clearSelection: 'Clear selection',
  deleteAll: 'Delete all…',

  actions: 'Actions',
  save: 'Save',
  insert: 'Insert into editor',
  copy: 'Copy',
  open: 'Open',
  reveal: 'Reveal in explorer',
  sameSeed: 'Same seed again',
  vary: 'Vary',
  upscale2: 'Upscale 2×',
  upscale4: 'Upscale 4×',
  editThis: 'Edit…',
  removeBackground: 'Remove background',
  useAsInput: 'Use as input',
  useSettings: 'Use these settings',
  delete: 'Delete…',
  previous: 'Previous picture',
  next: 'Next picture',
  copied: 'Picture copied',
  copyRefused: 'The picture could not be copied here. Save or open it instead.',
  details: 'Details',
  copyJson: 'Copy as JSON',
  jsonCopied: 'Request copied',
  jsonRefused: 'The request could not be copied here. Select its text instead.',
  zoom: 'Zoom',
  zoomedPicture: 'Picture in full size. Arrow keys scroll it, Enter and Escape show all of it.',
  compare: 'Compare',
  compareLabel: 'Share of the earlier picture',
  compareValue: (percent: number, label: string): string => `${percent} % ${label}`,
  before: 'Before',
  after: 'After',
} as const;

/** The service's names for what a model is good at, where another word says it better. */
const traits: ReadonlyMap<string, string> = new Map([
  ['highest_quality', 'highest quality'],
  ['most_uncensored', 'fewest content limits'],
]);

/** `1,500`. */
function number(value: number): string {
  return format.format(value);
}

const format = new Intl.NumberFormat('en-US');

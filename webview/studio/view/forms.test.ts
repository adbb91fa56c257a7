// @vitest-environment happy-dom
import { render } from 'lit';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StudioEditModel, StudioModel } from '../../../src/image/studio/protocol/form.ts';
import type { StudioState } from '../../../src/image/studio/protocol/messages.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  createStudioCheck,
  createEditModel,
  createInputImage,
  createPixelModel,
  createStudioState as studioState,
  createStudioModels,
} from '../../../test/support/webview-page/studio-states.ts';
import { Drafts } from '../drafts.ts';
import { SavedStudio } from '../saved.ts';
import { CreateForm } from './create-form.ts';
import { EditForm } from './edit-form.ts';
import { FormColumn } from './form-column.ts';

const doNothing = (): void => {};
let drafts: Drafts;

beforeEach(() => {
  const api = { postMessage: doNothing, getState: () => undefined, setState: doNothing };
  const savedState = new SavedStudio(api);
  drafts = new Drafts({
    post: doNothing,
    savedState,
    clock: new ManualClock(),
    onChange: doNothing,
  });
});

/** Adds a new element to the page and returns it. Removes the element of the previous call. */
function mountContainer(): HTMLElement {
  const element = document.createElement('div');
  document.body.replaceChildren(element);
  return element;
}

/** Renders the options of the edit form. `inputCount` is the number of input images. */
function renderEditForm(change: Partial<StudioEditModel>, inputCount = 1): void {
  const model = createEditModel(change);
  const images = Array.from({ length: inputCount }, (_, index) => createInputImage(index));
  drafts.applyStudio(
    studioState({ models: createStudioModels({ edit: [model] }), inputs: images }),
  );
  const form = new EditForm({ post: doNothing, drafts });
  render(form.renderOptions(model, inputCount, []), mountContainer());
}

function renderCreateForm(change: Partial<StudioModel>): void {
  const model = createPixelModel(change);
  const state: StudioState = studioState({ models: createStudioModels({ create: [model] }) });
  drafts.applyStudio(state);
  const context = { post: doNothing, drafts, createRandomSeed: () => 1, redraw: doNothing };
  const form = new CreateForm(context);
  render(
    form.renderOptions({ ...state, account: undefined } as never, model, []),
    mountContainer(),
  );
}

const listRadios = (name: string): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>(`input[type=radio][name=${name}]`),
];
const listValues = (name: string): string[] => listRadios(name).map(({ value }) => value);
const getCheckedValue = (name: string): string | undefined =>
  listRadios(name).find(({ checked }) => checked)?.value;
const chooseOption = (name: string, value: string): void => {
  const radio = listRadios(name).find((candidate) => candidate.value === value);
  radio?.dispatchEvent(new Event('change'));
};
const getPageText = (): string => document.body.textContent.replaceAll(/\s+/gu, ' ');

describe('the edit form', () => {
  const qualities = ['low', 'high'].map((name) => ({ name, priceText: `$0.0${name.length}` }));

  test('offers the model’s default quality first, and then each quality with its price', () => {
    renderEditForm({ qualities });
    expect(listValues('edit-quality')).toEqual(['', 'low', 'high']);
    expect(getCheckedValue('edit-quality')).toBe('');
    expect(getPageText()).toContain('$0.03');
    chooseOption('edit-quality', 'low');
    expect(drafts.edit?.quality).toBe('low');
    chooseOption('edit-quality', '');
    expect(drafts.edit?.quality).toBeNull();
  });

  test('shows no qualities and no resolutions if the model record lists none', () => {
    renderEditForm({ qualities: [], resolutions: [] });
    expect(listValues('edit-quality')).toEqual([]);
    expect(listValues('edit-resolution')).toEqual([]);
  });

  test('offers exactly the model’s ratios, and the option “default” if `auto` is missing', () => {
    renderEditForm({ ratios: ['auto', '1:1'] });
    expect(listValues('edit-ratio')).toEqual(['auto', '1:1']);
    expect(getCheckedValue('edit-ratio')).toBe('auto');
    renderEditForm({ ratios: ['1:1', '16:9'] });
    expect(listValues('edit-ratio')).toEqual(['', '1:1', '16:9']);
    expect(getCheckedValue('edit-ratio')).toBe('');
    chooseOption('edit-ratio', '16:9');
    expect(drafts.edit?.aspectRatio).toBe('16:9');
  });

  test('shows ratios only for several images if the model record excludes ratios for a single image', () => {
    renderEditForm({ takesSingleImageRatio: false }, 1);
    expect(listValues('edit-ratio')).toEqual([]);
    renderEditForm({ takesSingleImageRatio: false }, 2);
    expect(listValues('edit-ratio')).not.toEqual([]);
  });
});

describe('the create form', () => {
  const ids = ['negative-prompt', 'seed', 'guidance', 'style', 'hide-watermark', 'embed-exif'];
  const listVisibleIds = (): string[] => ids.filter((id) => document.getElementById(id) !== null);

  test('shows all options except those that the model record excludes', () => {
    renderCreateForm({});
    expect(listVisibleIds()).toEqual(
      expect.arrayContaining(['negative-prompt', 'seed', 'guidance']),
    );
    expect(listValues('variants')).toEqual(['1', '2', '3', '4']);
  });

  test('leaves steps and quality at the model’s default if the model record does not state the default', () => {
    const qualities = ['low', 'high'].map((name) => ({ name, priceText: '' }));
    renderCreateForm({ steps: { default: null, max: 50 }, qualities, defaultQuality: null });
    const stepsInput = document.querySelector<HTMLInputElement>('input[type=number]#steps');
    expect([stepsInput?.value, stepsInput?.max]).toEqual(['', '50']);
    expect([listValues('quality'), getCheckedValue('quality')]).toEqual([['', 'low', 'high'], '']);
    chooseOption('quality', 'low');
    expect(drafts.create?.quality).toBe('low');
    chooseOption('quality', '');
    expect(drafts.create?.quality).toBeNull();
  });

  test('hides the options that the OpenAI-compatible route lacks', () => {
    const sizes = [
      { ratio: '1:1', width: 1_024, height: 1_024 },
      { ratio: '3:2', width: 1_536, height: 1_024 },
    ];
    const limits = {
      min: 512,
      max: 1_792,
      divisor: 256,
      defaultWidth: 1_024,
      defaultHeight: 1_024,
    };
    renderCreateForm({
      hasBasicOptionsOnly: true,
      steps: null,
      sizing: { kind: 'pixels', ...limits, sizes, isFixed: true },
    });
    expect(listVisibleIds()).toEqual([]);
    expect(listValues('variants')).toEqual([]);
    expect(listValues('size')).toEqual(['1:1', '3:2']);
    expect(document.getElementById('safe-mode')).not.toBeNull();
  });
});

test('the studio form names the chosen options that the host omits, and lets the user include these options again', () => {
  const note = 'Not sent, because this model does not support it: Style.';
  const state = studioState({ check: createStudioCheck({ note, canRestore: true }) });
  drafts.applyStudio(state);
  const postedMessages: unknown[] = [];
  const post = (message: unknown): void => void postedMessages.push(message);
  const context = { post, drafts, createRandomSeed: () => 1, announce: doNothing };
  const column = new FormColumn(context);
  column.update(state);
  mountContainer().append(column.element);
  expect(document.getElementById('unsent-note')?.textContent).toBe(note);
  const buttons = [...document.querySelectorAll('button')];
  buttons.find(({ textContent }) => textContent.trim() === 'Send it again')?.click();
  expect(postedMessages).toContainEqual({ type: 'unsent-restore' });
  drafts.applyStudio({ ...state, check: createStudioCheck({}) });
  column.update(state);
  expect(document.getElementById('unsent-note')).toBeNull();
});

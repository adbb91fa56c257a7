// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { OptionDetails, OptionField } from '../../../src/chat/protocol/composer.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { OptionsPopover } from './options-popover.ts';

const createField = (change: Partial<OptionField> = {}): OptionField => ({
  name: 'topP',
  kind: 'text',
  label: 'Top P',
  help: 'From 0 to 1.',
  value: '0.5',
  choices: [],
  placeholder: 'Default',
  problem: '',
  isOmitted: false,
  ...change,
});

const searchField = createField({
  name: 'webSearch',
  kind: 'choice',
  label: 'Web search',
  help: '',
  value: 'auto',
  choices: [
    { value: '', label: 'Off' },
    { value: 'auto', label: 'When it helps' },
  ],
});

const createDetails = (change: Partial<OptionDetails> = {}): OptionDetails => ({
  type: 'option-details',
  fields: [searchField, createField()],
  presets: [
    { id: 'precise', name: 'Precise', own: false },
    { id: 'p1', name: 'Mine', own: true },
  ],
  preset: '',
  notes: [],
  ...change,
});

let postedMessages: WebviewMessage[];
let opener: HTMLButtonElement;
let popover: OptionsPopover;

beforeEach(() => {
  postedMessages = [];
  opener = document.createElement('button');
  popover = new OptionsPopover((message) => postedMessages.push(message));
  document.body.replaceChildren(popover.element, opener);
  opener.focus();
  popover.toggle();
  popover.show(createDetails());
});

function findControl(key: string): HTMLInputElement {
  const control = popover.element.querySelector<HTMLInputElement>(`[data-key="${key}"]`);
  if (control === null) throw new Error(`Nothing is called ${key}.`);
  return control;
}

function chooseValue(key: string, value: string): void {
  const element = findControl(key);
  element.value = value;
  element.dispatchEvent(new Event('change'));
}

const getLastPostedMessage = (): unknown => postedMessages.at(-1);
const createOptionsMessage = (action: string, name = '', value = ''): object => ({
  type: 'options-action',
  action,
  name,
  value,
});

test('OptionsPopover requests the options and takes the focus when it opens', () => {
  expect(postedMessages).toEqual([createOptionsMessage('show')]);
  expect(document.activeElement).toBe(findControl('webSearch'));
});

describe('the Advanced section', () => {
  const effortField = createField({
    name: 'reasoningEffort',
    label: 'Reasoning effort',
    value: 'high',
  });
  const verbosityField = createField({
    name: 'verbosity',
    label: 'Length of answers',
    value: 'low',
  });
  const unchangedDetails = createDetails({
    fields: [createField({ value: '' }), verbosityField, effortField, searchField],
  });
  const changedDetails = createDetails({ fields: [searchField, createField()] });
  const findFold = (): HTMLDetailsElement => {
    const element = popover.element.querySelector('details');
    if (element === null) throw new Error('The popover has no fold.');
    return element;
  };
  const getSummaryText = (): string | undefined =>
    findFold().querySelector('summary')?.textContent?.trim();
  const showDetails = (details: OptionDetails): void => {
    popover.toggle();
    popover.toggle();
    popover.show(details);
  };
  const setFoldOpen = (isOpen: boolean): void => {
    findFold().open = isOpen;
    findFold().dispatchEvent(new Event('toggle'));
  };

  test('is closed at first, and contains the presets and all options except web search, effort and length', () => {
    showDetails(unchangedDetails);
    const visibleControls = [...popover.element.querySelectorAll<HTMLElement>('[data-key]')].filter(
      (control) => control.closest('details') === null,
    );
    expect(visibleControls.map((control) => control.dataset['key'])).toEqual([
      'discard',
      'close',
      'webSearch',
      'reasoningEffort',
      'verbosity',
    ]);
    expect([findFold().open, getSummaryText()]).toEqual([false, 'Advanced']);
    for (const key of ['preset', 'topP', 'new-preset'])
      expect(findControl(key).closest('details')).toBe(findFold());
  });

  test.each([
    ['changed', createField({ value: '0.5' })],
    ['invalid', createField({ value: '', problem: 'Too much.' })],
    ['no longer sent', createField({ value: '0.5', isOmitted: true })],
  ])('is open if one of its options is %s', (_state, hiddenField) => {
    showDetails(createDetails({ fields: [searchField, hiddenField] }));
    expect(findFold().open).toBe(true);
  });

  test('is closed if only a setting of all chats is changed', () => {
    const soundField = createField({ name: 'sound', label: 'Sound', value: 'true' });
    showDetails(createDetails({ fields: [searchField, soundField] }));
    expect([findFold().open, getSummaryText()]).toEqual([false, 'Advanced']);
    expect(findControl('sound').closest('details')).toBe(findFold());
  });

  test('stays open or closed as the user chose, and has a mark if a changed option is hidden', () => {
    showDetails(changedDetails);
    setFoldOpen(false);
    popover.show(changedDetails);
    expect([findFold().open, getSummaryText()]).toEqual([false, 'Advanced *']);
    popover.show(unchangedDetails);
    expect([findFold().open, getSummaryText()]).toEqual([false, 'Advanced']);
    setFoldOpen(true);
    popover.show(unchangedDetails);
    expect(findFold().open).toBe(true);
    showDetails(unchangedDetails);
    expect(findFold().open).toBe(false);
  });

  test('opens to show a new problem, even if the user closed it', () => {
    showDetails(changedDetails);
    setFoldOpen(false);
    popover.show(createDetails({ fields: [searchField, createField({ problem: 'Too much.' })] }));
    expect(findFold().open).toBe(true);
  });
});

test('OptionsPopover shows the current values in labeled controls', () => {
  expect(findControl('webSearch').value).toBe('auto');
  expect(findControl('topP').value).toBe('0.5');
  const labels = [...popover.element.querySelectorAll('label')];
  expect(labels.map((label) => [label.textContent, label.htmlFor])).toEqual([
    ['Web search', 'option-webSearch'],
    ['Top P', 'option-topP'],
  ]);
  expect(findControl('topP').getAttribute('aria-describedby')).toBe('option-topP-about');
});

test.each<[key: string, value: string, expected: object]>([
  ['webSearch', '', createOptionsMessage('set', 'webSearch')],
  ['topP', ' 0.7 ', createOptionsMessage('set', 'topP', '0.7')],
  ['preset', 'p1', createOptionsMessage('choose', 'p1')],
])('OptionsPopover posts a change of option %s to %j', (key, value, expected) => {
  chooseValue(key, value);
  expect(getLastPostedMessage()).toEqual(expected);
});

test('OptionsPopover offers to delete presets of the user, but not built-in presets', () => {
  popover.show(createDetails({ preset: 'precise' }));
  expect(popover.element.querySelector('[data-key=trash]')).toBeNull();
  popover.show(createDetails({ preset: 'p1' }));
  findControl('trash').click();
  expect(getLastPostedMessage()).toEqual(createOptionsMessage('remove', 'p1'));
});

test('OptionsPopover saves a preset only if the user typed a name', () => {
  findControl('keep').click();
  expect(getLastPostedMessage()).toEqual(createOptionsMessage('show'));
  findControl('new-preset').value = ' Mine ';
  findControl('keep').click();
  expect(getLastPostedMessage()).toEqual(createOptionsMessage('keep', 'Mine'));
});

test('OptionsPopover shows a problem at the affected field, and keeps the typed value', () => {
  popover.show(createDetails({ fields: [createField({ value: '7', problem: 'Too much.' })] }));
  expect(findControl('topP').getAttribute('aria-invalid')).toBe('true');
  expect(findControl('topP').value).toBe('7');
  expect(popover.element.querySelector('.option-problem')?.textContent).toBe('Too much.');
});

test('OptionsPopover marks a value that is left out of requests, and offers to include the value again', () => {
  expect(popover.element.querySelector('.option-omission')).toBeNull();
  popover.show(createDetails({ fields: [searchField, createField({ isOmitted: true })] }));
  const notes = [...popover.element.querySelectorAll('.option-omission')];
  expect(notes.map((note) => note.querySelector('span:not([class])')?.textContent)).toEqual([
    'Not sent: this service does not support it.',
  ]);
  expect(findControl('restore-topP').textContent).toBe('Send it again');
  expect(findControl('restore-topP').ariaLabel).toBe('Send it again: Top P');
  findControl('restore-topP').click();
  expect(getLastPostedMessage()).toEqual(createOptionsMessage('restore', 'topP'));
});

test('OptionsPopover keeps the focus on the same control when the options are rendered again', () => {
  findControl('topP').focus();
  popover.show(createDetails());
  expect(document.activeElement).toBe(findControl('topP'));
});

test('OptionsPopover closes on Escape, restores the focus, and stops the propagation of the key', () => {
  let keydownCount = 0;
  document.addEventListener('keydown', () => (keydownCount += 1), { once: true });
  findControl('topP').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(popover.element.hidden).toBe(true);
  expect(document.activeElement).toBe(opener);
  expect(keydownCount).toBe(0);
  popover.show(createDetails());
  expect(popover.element.childElementCount).toBe(0);
});

test('OptionsPopover renders markup in texts from the host as plain text', () => {
  popover.show(createDetails({ notes: ['<img src=x onerror=steal()>'] }));
  expect(popover.element.querySelector('img')).toBeNull();
});

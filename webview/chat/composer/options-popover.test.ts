// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { OptionDetails, OptionField } from '../../../src/chat/protocol/composer.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { OptionsPopover } from './options-popover.ts';

const field = (change: Partial<OptionField> = {}): OptionField => ({
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

const search = field({
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

const details = (change: Partial<OptionDetails> = {}): OptionDetails => ({
  type: 'option-details',
  fields: [search, field()],
  presets: [
    { id: 'precise', name: 'Precise', own: false },
    { id: 'p1', name: 'Mine', own: true },
  ],
  preset: '',
  notes: [],
  ...change,
});

let posted: WebviewMessage[];
let opener: HTMLButtonElement;
let popover: OptionsPopover;

beforeEach(() => {
  posted = [];
  opener = document.createElement('button');
  popover = new OptionsPopover((message) => posted.push(message));
  document.body.replaceChildren(popover.element, opener);
  opener.focus();
  popover.toggle();
  popover.show(details());
});

function control(key: string): HTMLInputElement {
  const found = popover.element.querySelector<HTMLInputElement>(`[data-key="${key}"]`);
  if (found === null) throw new Error(`Nothing is called ${key}.`);
  return found;
}

function choose(key: string, value: string): void {
  const element = control(key);
  element.value = value;
  element.dispatchEvent(new Event('change'));
}

const lastPosted = (): unknown => posted.at(-1);
const optionsMessage = (action: string, name = '', value = ''): object => ({
  type: 'options-action',
  action,
  name,
  value,
});

test('OptionsPopover requests the options and takes the focus when it opens', () => {
  expect(posted).toEqual([optionsMessage('show')]);
  expect(document.activeElement).toBe(control('webSearch'));
});

describe('Advanced', () => {
  const effort = field({ name: 'reasoningEffort', label: 'Reasoning effort', value: 'high' });
  const verbosity = field({ name: 'verbosity', label: 'Length of answers', value: 'low' });
  const unchanged = details({ fields: [field({ value: '' }), verbosity, effort, search] });
  const changed = details({ fields: [search, field()] });
  const fold = (): HTMLDetailsElement => {
    const found = popover.element.querySelector('details');
    if (found === null) throw new Error('The popover has no fold.');
    return found;
  };
  const summary = (): string | undefined => fold().querySelector('summary')?.textContent?.trim();
  const open = (first: OptionDetails): void => {
    popover.toggle();
    popover.toggle();
    popover.show(first);
  };
  const setOpen = (isOpen: boolean): void => {
    fold().open = isOpen;
    fold().dispatchEvent(new Event('toggle'));
  };

  test('hides all options except web search, effort and length, and all presets', () => {
    open(unchanged);
    const visible = [...popover.element.querySelectorAll<HTMLElement>('[data-key]')].filter(
      (control) => control.closest('details') === null,
    );
    expect(visible.map((control) => control.dataset['key'])).toEqual([
      'discard',
      'close',
      'webSearch',
      'reasoningEffort',
      'verbosity',
    ]);
    expect([fold().open, summary()]).toEqual([false, 'Advanced']);
    for (const key of ['preset', 'topP', 'new-preset'])
      expect(control(key).closest('details')).toBe(fold());
  });

  test.each([
    ['changed', field({ value: '0.5' })],
    ['invalid', field({ value: '', problem: 'Too much.' })],
    ['no longer sent', field({ value: '0.5', isOmitted: true })],
  ])('is open if one of its options is %s', (_state, hidden) => {
    open(details({ fields: [search, hidden] }));
    expect(fold().open).toBe(true);
  });

  test('keeps the state that the user chose, and marks a closed fold with changed options', () => {
    open(changed);
    setOpen(false);
    popover.show(changed);
    expect([fold().open, summary()]).toEqual([false, 'Advanced *']);
    popover.show(unchanged);
    expect([fold().open, summary()]).toEqual([false, 'Advanced']);
    setOpen(true);
    popover.show(unchanged);
    expect(fold().open).toBe(true);
    open(unchanged);
    expect(fold().open).toBe(false);
  });

  test('opens a closed fold to show a new problem', () => {
    open(changed);
    setOpen(false);
    popover.show(details({ fields: [search, field({ problem: 'Too much.' })] }));
    expect(fold().open).toBe(true);
  });
});

test('OptionsPopover shows the current values in labeled controls', () => {
  expect(control('webSearch').value).toBe('auto');
  expect(control('topP').value).toBe('0.5');
  const labels = [...popover.element.querySelectorAll('label')];
  expect(labels.map((label) => [label.textContent, label.htmlFor])).toEqual([
    ['Web search', 'option-webSearch'],
    ['Top P', 'option-topP'],
  ]);
  expect(control('topP').getAttribute('aria-describedby')).toBe('option-topP-about');
});

test.each<[key: string, value: string, expected: object]>([
  ['webSearch', '', optionsMessage('set', 'webSearch')],
  ['topP', ' 0.7 ', optionsMessage('set', 'topP', '0.7')],
  ['preset', 'p1', optionsMessage('choose', 'p1')],
])('posts a change of option %s to %j', (key, value, expected) => {
  choose(key, value);
  expect(lastPosted()).toEqual(expected);
});

test('OptionsPopover offers to delete presets of the user, but not built-in presets', () => {
  popover.show(details({ preset: 'precise' }));
  expect(popover.element.querySelector('[data-key=trash]')).toBeNull();
  popover.show(details({ preset: 'p1' }));
  control('trash').click();
  expect(lastPosted()).toEqual(optionsMessage('remove', 'p1'));
});

test('OptionsPopover saves a preset only if the user typed a name', () => {
  control('keep').click();
  expect(lastPosted()).toEqual(optionsMessage('show'));
  control('new-preset').value = ' Mine ';
  control('keep').click();
  expect(lastPosted()).toEqual(optionsMessage('keep', 'Mine'));
});

test('OptionsPopover shows a problem at the affected field, and keeps the typed value', () => {
  popover.show(details({ fields: [field({ value: '7', problem: 'Too much.' })] }));
  expect(control('topP').getAttribute('aria-invalid')).toBe('true');
  expect(control('topP').value).toBe('7');
  expect(popover.element.querySelector('.option-problem')?.textContent).toBe('Too much.');
});

test('OptionsPopover marks a value that is not sent, and offers to send it again', () => {
  expect(popover.element.querySelector('.option-omission')).toBeNull();
  popover.show(details({ fields: [search, field({ isOmitted: true })] }));
  const notes = [...popover.element.querySelectorAll('.option-omission')];
  expect(notes.map((note) => note.querySelector('span:not([class])')?.textContent)).toEqual([
    'Not sent: this service does not support it.',
  ]);
  expect(control('restore-topP').textContent).toBe('Send it again');
  expect(control('restore-topP').ariaLabel).toBe('Send it again: Top P');
  control('restore-topP').click();
  expect(lastPosted()).toEqual(optionsMessage('restore', 'topP'));
});

test('OptionsPopover keeps the focus on the same control when the options are rendered again', () => {
  control('topP').focus();
  popover.show(details());
  expect(document.activeElement).toBe(control('topP'));
});

test('OptionsPopover closes on Escape, restores the focus, and stops the propagation of the key', () => {
  let keydownCount = 0;
  document.addEventListener('keydown', () => (keydownCount += 1), { once: true });
  control('topP').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(popover.element.hidden).toBe(true);
  expect(document.activeElement).toBe(opener);
  expect(keydownCount).toBe(0);
  popover.show(details());
  expect(popover.element.childElementCount).toBe(0);
});

test('OptionsPopover renders texts of the host without markup', () => {
  popover.show(details({ notes: ['<img src=x onerror=steal()>'] }));
  expect(popover.element.querySelector('img')).toBeNull();
});

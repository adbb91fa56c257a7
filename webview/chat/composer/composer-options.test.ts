// @vitest-environment happy-dom
import { render } from 'lit';
import { beforeEach, expect, test } from 'vitest';
import type { ProtectionView } from '../../../src/privacy/protocol.ts';
import { renderEncryptionNote, renderProtectionButton } from './composer-options.ts';

let container: HTMLElement;
let showCount: number;
const incrementShowCount = (): void => void showCount++;

beforeEach(() => {
  container = document.createElement('div');
  showCount = 0;
});

const findButton = (): HTMLButtonElement | null => container.querySelector('button');

test.each<[kind: ProtectionView['kind'], icon: string]>([
  ['encrypted', 'lock'],
  ['attested', 'verified'],
  ['none', 'unlock'],
])(
  'renderProtectionButton shows the protection "%s" of an answer with the icon %s, a label and an accessible name',
  (kind, icon) => {
    const protection = { kind, label: 'A label', detail: 'What it <b>means</b>.' };
    render(
      renderProtectionButton({ protection, tabIndex: -1, showProtection: incrementShowCount }),
      container,
    );
    expect(findButton()?.querySelector('.codicon')?.className).toContain(`codicon-${icon}`);
    expect(findButton()?.textContent.trim()).toBe('A label');
    expect(findButton()?.title).toBe('What it <b>means</b>.');
    expect(findButton()?.getAttribute('aria-label')).toBe('A label. What it <b>means</b>.');
    expect(findButton()?.getAttribute('tabindex')).toBe('-1');
    expect(findButton()?.classList.contains(kind)).toBe(true);
    expect(showCount).toBe(0);
    findButton()?.click();
    expect(showCount).toBe(1);
  },
);

test('renderProtectionButton renders no button for an answer without protection', () => {
  render(
    renderProtectionButton({
      protection: undefined,
      tabIndex: 0,
      showProtection: incrementShowCount,
    }),
    container,
  );
  expect(findButton()).toBeNull();
});

test('renderEncryptionNote shows markup in the encryption note as text, and opens the attestation on a click', () => {
  render(renderEncryptionNote('Encrypted. <b>Left out</b>: tools.', incrementShowCount), container);
  expect(findButton()?.textContent.trim()).toBe('Encrypted. <b>Left out</b>: tools.');
  findButton()?.click();
  expect(showCount).toBe(1);
  render(renderEncryptionNote(undefined, incrementShowCount), container);
  expect(findButton()).toBeNull();
});

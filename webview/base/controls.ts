import { html, nothing, type TemplateResult } from 'lit';

interface TextButton {
  readonly label: string;
  readonly onClick: () => void;
  readonly isPrimary?: boolean;
  /** Reason why the button is disabled, shown as its tooltip. The button stays focusable. */
  readonly disabledReason?: string;
}

interface IconButton {
  /** Name of a codicon, an icon of VS Code's icon font. */
  readonly icon: string;
  /** Accessible name of the button. Also the tooltip, unless there is a {@link title}. */
  readonly label: string;
  readonly title?: string;
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
  /** True while a toggle button is on. Omit it for buttons that do not toggle. */
  readonly isPressed?: boolean;
  readonly tabIndex?: number;
  readonly className?: string;
}

/**
 * Registers `vscode-button` and `vscode-text-field`, which come from VS Code's webview toolkit. Before the
 * registration, the browser shows these elements as plain text of the same size. Icon buttons are native elements,
 * because a transcript has thousands of them. The composer is native too, because it must accept text before the
 * toolkit is loaded.
 */
export async function loadControls(): Promise<void> {
  const { registerElements } = await import('./toolkit.ts');
  registerElements();
}

export const renderTextButton = ({
  label,
  onClick,
  isPrimary = false,
  disabledReason = '',
}: TextButton): TemplateResult =>
  html`<vscode-button
    appearance=${isPrimary ? 'primary' : 'secondary'}
    aria-disabled=${disabledReason === '' ? nothing : 'true'}
    title=${disabledReason || nothing}
    @click=${() => disabledReason === '' && onClick()}
    >${label}</vscode-button
  >`;

export const renderIconButton = (button: IconButton): TemplateResult =>
  html`<button
    type="button"
    class="icon-button ${button.className ?? ''}"
    aria-label=${button.label}
    title=${button.title ?? button.label}
    aria-pressed=${button.isPressed ?? nothing}
    tabindex=${button.tabIndex ?? nothing}
    ?disabled=${button.isDisabled ?? false}
    @click=${button.onClick}
  >
    ${renderIcon(button.icon)}
  </button>`;

/**
 * Returns a codicon that screen readers ignore. Adjacent text or the button's label must state the meaning of the icon.
 */
export const renderIcon = (name: string): TemplateResult =>
  html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;

/**
 * Returns the character that a key press types into a text field. Returns an empty string for keyboard shortcuts and
 * for keys that type no character.
 */
export function getTypedCharacter(event: KeyboardEvent): string {
  const { key, altKey, ctrlKey, metaKey } = event;
  // Windows reports AltGr as Ctrl and Alt together.
  const isShortcut = (altKey || ctrlKey) && !event.getModifierState('AltGraph');
  return isShortcut || metaKey || !/^.$/u.test(key) ? '' : key;
}

/** Checks whether a key press activates the focused button: Enter or the space bar. */
export const isActivationKey = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter';

/**
 * Checks whether a key press is Enter without Shift. Returns false for the Enter that ends an input method composition.
 */
export const isSubmitKey = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;

const maxSentenceLength = 150;

/**
 * Announces short texts to screen readers through an invisible live region. Not suitable for the tokens of a streamed
 * answer.
 */
export class Announcer {
  readonly element = document.createElement('div');

  constructor() {
    this.element.className = 'visually-hidden';
    this.element.setAttribute('role', 'status');
  }

  announce(text: string): void {
    // A new node makes screen readers announce a repeated text again.
    const line = document.createElement('p');
    line.textContent = text;
    this.element.replaceChildren(line);
  }
}

/** Returns the first sentence of the text, truncated to 150 characters. */
export function getFirstSentence(text: string): string {
  const textStart = text.trimStart().slice(0, 2 * maxSentenceLength);
  const [firstSegment] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(
    textStart,
  );
  const sentence = firstSegment?.segment.trim() ?? '';
  return sentence.length <= maxSentenceLength
    ? sentence
    : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}
